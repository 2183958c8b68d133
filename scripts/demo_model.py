"""Shows `pytead-llm` on a question from standard input: tokens as they come, a cancel, and the same again with the prompt kept.

`demo_model.py PYTEAD-LLM MODEL.gguf <QUESTION`. The orders and reports are those of docs/models.md.
"""

import json
import subprocess
import sys

ENOUGH = 12  # tokens, after which the first answer is cancelled


def main(program, model, question):
    llm = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )

    def tell(order):
        print("->", json.dumps(order)[:100])
        print(json.dumps(order), file=llm.stdin, flush=True)

    def reports():
        for line in llm.stdout:
            report = json.loads(line)
            if "failed" in report:
                sys.exit(report["failed"]["why"])
            yield next(iter(report.items()))

    def generate(number, most):
        tell(
            {
                "generate": {
                    "id": number,
                    "system": "",
                    "user": question,
                    "max_tokens": most,
                    "sampling": {"temperature": 0.0},
                }
            }
        )
        tokens = 0
        for kind, report in reports():
            if kind == "text":
                print(report["text"], end="", flush=True)
                tokens += 1
                if number == 1 and tokens == ENOUGH:
                    print(" ...")
                    tell({"cancel": {"id": number}})
            elif kind == "end":
                return report
        sys.exit("pytead-llm ended by itself.")

    tell({"load": {"path": model, "context": 2048, "threads": 1}})
    next(kind for kind, _ in reports() if kind == "loaded")
    # A quick machine may be at the end of the answer before the cancel is.
    first = generate(1, 2000)
    print(
        f"<- {first['reason']} after {first['written']} tokens; the prompt of {first['prompt']} was read from the start"
    )
    again = generate(2, 60)
    print(
        f"\n<- {again['reason']} after {again['written']} tokens; {again['reused']} of {again['prompt']} prompt tokens were kept"
    )
    llm.stdin.close()
    sys.exit(llm.wait() or again["reused"] < again["prompt"] - 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.stdin.read().strip("\n") + "\n")
