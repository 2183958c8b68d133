"""Values under secret names are not written, wherever they are met again."""


class Login:
    def __init__(self, user, password):
        self.user = user
        self.password = password

    def check(self):
        return self.password == "hunter2-long"


def connect(url, *, api_key=None, **options):
    return {"url": url, "token": api_key}


def nested(config):
    return config["db"]["password"]


def author(author, tokens_used):
    return author


def fails(secret):
    raise ValueError("bad " + secret, secret)


def main():
    login = Login("ann", "hunter2-long")
    login.check()
    connect("http://x", api_key="key-1234567", passwd="other-secret")
    nested({"db": {"password": "hunter2-long", "port": 1}})
    author("Ann", 3)
    try:
        fails("only-this-secret")
    except ValueError:
        pass


main()
