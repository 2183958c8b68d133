"""Tools around one page of one browser; the folder `page` is served on loopback for as long as the test runs."""

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

from pytead_tui import LLMPlugin

PAGE = Path(__file__).parents[3] / "page"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing of each request."""


class Page(LLMPlugin):
    name = "page"

    def __init__(self) -> None:
        super().__init__()
        self.server = None
        self.playwright = None
        self.browser = None
        self.page = None
        self.messages: "list[str]" = []

    async def open(self, path: str = "index.html") -> dict:
        """Serves the folder and opens one of its pages."""
        from playwright.async_api import async_playwright

        program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
        if program is None:
            raise FileNotFoundError("no Chromium: install one, or name it in CHROMIUM")
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=str(PAGE))
        )
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.playwright = await async_playwright().start()
        # Its own sandbox is not to be had as root, which containers run as.
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.browser = await self.playwright.chromium.launch(executable_path=program, args=args)
        self.page = await self.browser.new_page()
        self.page.on("console", lambda message: self.messages.append(message.text))
        answer = await self.page.goto("http://127.0.0.1:%d/%s" % (self.server.server_port, path))
        return {"status": answer.status, "title": await self.page.title()}

    async def fill(self, selector: str, text: str) -> dict:
        """Types a text into a field."""
        await self.page.fill(selector, text)
        return {"value": await self.page.input_value(selector)}

    async def click(self, selector: str) -> dict:
        """Clicks something."""
        await self.page.click(selector, timeout=5_000)
        return {"clicked": selector}

    async def read(self, selector: str) -> dict:
        """Gives the texts of all that a selector finds, as far as they are in sight."""
        found = await self.page.locator(selector).all()
        return {"texts": [await one.inner_text() for one in found if await one.is_visible()]}

    async def console(self) -> dict:
        """Gives what the page wrote to its console."""
        return {"messages": self.messages}

    async def cleanup(self) -> None:
        """Closes the browser and stops serving."""
        if self.browser is not None:
            await self.browser.close()
        if self.playwright is not None:
            await self.playwright.stop()
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
