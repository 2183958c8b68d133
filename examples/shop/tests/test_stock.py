import pytest

from shop.stock import OutOfStock, Stock


def test_rows_add_up():
    assert Stock.from_rows(["mug,2", " mug ,3", "lamp,1"]).pieces == {"mug": 5, "lamp": 1}


def test_reserving_takes_from_the_shelf():
    stock = Stock({"mug": 2})
    assert stock.reserve("mug") == 1
    assert stock.reserve("mug") == 0
    with pytest.raises(OutOfStock, match="mug: 2 missing"):
        stock.reserve("mug", 2)
    assert stock.fill("mug", 4) == 4


def test_low_articles():
    assert Stock({"mug": 2, "lamp": 9, "chair": 0}).low == ["chair", "mug"]
    assert Stock().low == []


@pytest.mark.parametrize(("name", "sku"), [("mug", "MUG"), (" desk lamp ", "DESK-LAMP"), ("", "")])
def test_sku(name, sku):
    assert Stock.sku(name) == sku
