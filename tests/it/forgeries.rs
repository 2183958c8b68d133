//! Tests that are false and have another result reported than they had.

/// The texts of tests that are false, or assert nothing, and change what is reported of them; text like that is refused before
/// it runs, so this is the second line.
pub(crate) const FORGERIES: [(&str, &str); 12] = [
    (
        "the report's class",
        "import sys\nR = sys.modules['_pytest.reports'].TestReport\nold = R.from_item_and_call.__func__\n\n\
         def new(cls, item, call):\n    report = old(cls, item, call)\n    report.outcome, report.longrepr = 'passed', None\n    \
         return report\n\nR.from_item_and_call = classmethod(new)\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "its outcome, of one test alone",
        "import _pytest.reports as r\n\nold = r.TestReport.__init__\n\ndef new(self, nodeid, *args, **kwargs):\n    \
         old(self, nodeid, *args, **kwargs)\n    if 'test_f' in nodeid:\n        self.outcome = 'passed'\n\n\
         r.TestReport.__init__ = new\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "how a call is made",
        "import _pytest.python as p\n\np.Function.runtest = lambda self: None\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "a hook",
        "import pytest\n\nclass Hook:\n    @pytest.hookimpl(hookwrapper=True, tryfirst=True)\n    \
         def pytest_runtest_makereport(self, item, call):\n        result = yield\n        \
         result.get_result().outcome = 'passed'\n\n@pytest.fixture\ndef hooked(request):\n    \
         request.config.pluginmanager.register(Hook())\n\ndef test_f(hooked):\n    assert f(1) == 99\n",
    ),
    (
        "the witness",
        "import pytead_tui.pytest_witness as w\n\nw.phase = lambda report: {'kind': 'phase', 'nodeid': report.nodeid, \
         'when': report.when, 'outcome': 'passed', 'seconds': 0.0}\nw.Witness.line = lambda self, report, with_fault=False: \
         w.phase(report)\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "what a failure is",
        "import builtins\n\nbuiltins.AssertionError = ZeroDivisionError\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "what the process says",
        "import json, os\n\ndef test_f():\n    body = json.dumps({'said': [[1, 0, {'kind': 'phase', 'nodeid': \
         'tests/pytead/test_draft.py::test_f', 'when': 'call', 'outcome': 'passed'}], [1, 0, {'kind': 'end'}]]}).encode()\n    \
         for fd in range(3, 64):\n        try:\n            os.write(fd, len(body).to_bytes(4, 'little') + body)\n        \
         except OSError:\n            pass\n    assert f(1) == 99\n",
    ),
    (
        "its code, when it is collected",
        "import gc\n\nfor w in gc.get_objects():\n    if type(w).__name__ == 'Witness':\n        \
         type(w).tampered = lambda self, session: ''\n\ndef test_f():\n    assert f(1) == 99\n",
    ),
    (
        "the witness and the report, until the test ends",
        "import _pytest.reports as r, pytead_tui.pytest_witness as w\n\nold = r.TestReport.__init__\n\ndef new(self, *args, \
         **kwargs):\n    old(self, *args, **kwargs)\n    self.outcome, self.longrepr = 'passed', None\n\n\
         def line(self, report, with_fault=False):\n    return {'kind': 'phase', 'nodeid': report.nodeid, 'when': \
         report.when, 'outcome': 'passed', 'seconds': 0.0}\n\ndef test_f(monkeypatch):\n    \
         monkeypatch.setattr(r.TestReport, '__init__', new)\n    monkeypatch.setattr(w.Witness, 'line', line)\n    \
         assert f(1) == 99\n",
    ),
    (
        "the code of the witness, until the test ends",
        "import pytest, pytead_tui.pytest_witness as w\n\n@pytest.fixture\ndef changed():\n    code = \
         w.Witness.line.__code__\n    w.Witness.line.__code__ = (lambda self, report, with_fault=False: {'kind': 'phase', \
         'nodeid': report.nodeid, 'when': report.when, 'outcome': 'passed', 'seconds': 0.0}).__code__\n    yield\n    \
         w.Witness.line.__code__ = code\n\ndef test_f(changed):\n    assert f(1) == 99\n",
    ),
    (
        "the notes of the witness",
        "import pytest\n\nclass Ends(dict):\n    def get(self, name, other=None):\n        return None\n\n\
         def passed(self):\n    self.outcome, self.longrepr = 'passed', None\n\ndef test_f(request, monkeypatch):\n    \
         for plugin in request.config.pluginmanager.get_plugins():\n        if hasattr(plugin, 'ends'):\n            \
         monkeypatch.setattr(plugin, 'ends', Ends())\n    monkeypatch.setattr(pytest.TestReport, '__post__', passed, \
         raising=False)\n    hook = request.node.ihook.pytest_runtest_makereport\n\n    def made(item, call):\n        \
         report = hook(item=item, call=call)\n        report.outcome, report.longrepr = 'passed', None\n        \
         return report\n\n    request.node.ihook.pytest_runtest_makereport = made\n    assert f(1) == 99\n",
    ),
    (
        "functions of single objects",
        "def test_f(request, monkeypatch):\n    for plugin in request.config.pluginmanager.get_plugins():\n        if \
         hasattr(plugin, 'ends'):\n            monkeypatch.setattr(plugin, 'line', lambda report, with_fault=False: {'kind': \
         'phase', 'nodeid': report.nodeid, 'when': report.when, 'outcome': 'passed', 'seconds': 0.0})\n    assert f(1) == 99\n",
    ),
];
