"""A small shop: carts, prices, orders, payment, mail."""
