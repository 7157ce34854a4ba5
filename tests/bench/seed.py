"""Multi-edit as it is commonly sketched, written down plainly for the comparison: conflicts by
comparing all pairs, a tracker of line offsets, and every operation reads and writes its file.

    seed.py DIR OPERATIONS.json

prints the milliseconds that the operations took, without the start of the interpreter.
"""

import json
import sys
import time
from pathlib import Path


class FileSystem:
    def __init__(self, root):
        self.root = Path(root)

    def read(self, path):
        return (self.root / path).read_text()

    def write(self, path, text):
        (self.root / path).write_text(text)


class LineOffsetTracker:
    def __init__(self):
        self._offsets = {}

    def register_change(self, path, start_line, line_delta):
        offsets = self._offsets.setdefault(path, {})
        for line in list(offsets):
            if line >= start_line:
                offsets[line] += line_delta
        offsets.setdefault(start_line, line_delta)

    def get_adjusted_line(self, path, line):
        offsets = self._offsets.get(path, {})
        return line + sum(delta for at, delta in offsets.items() if at <= line)


class MultiEditExecutor:
    def __init__(self, fs):
        self.fs = fs
        self._backup = {}

    def execute(self, operations):
        tracker = LineOffsetTracker()
        if self.detect_conflicts(operations):
            raise SystemExit("seed.py: two operations conflict")
        for path in {op["file_path"] for op in operations}:
            self._backup[path] = self.fs.read(path)
        for op in operations:
            change = self._replace(op)
            if change is None:
                for path, text in self._backup.items():
                    self.fs.write(path, text)
                raise SystemExit("seed.py: an operation failed")
            if change:
                tracker.register_change(op["file_path"], 1, change)

    def detect_conflicts(self, operations):
        conflicts, ranges, texts = [], {}, {}
        for i, op in enumerate(operations):
            path = op["file_path"]
            if path not in texts:
                texts[path] = self.fs.read(path)
            start, end = self._range(texts[path], op)
            for other_start, other_end, other in ranges.setdefault(path, []):
                if start <= other_end and end >= other_start:
                    conflicts.append((other, i))
            ranges[path].append((start, end, i))
        return conflicts

    @staticmethod
    def _range(text, op):
        """The lines that an operation changes."""
        start = text[: text.find(op["old_string"])].count("\n") + 1
        return start, start + op["old_string"].count("\n")

    def _replace(self, op):
        """How many lines came to it; None where the old string is not there exactly once."""
        text = self.fs.read(op["file_path"])
        if text.count(op["old_string"]) != 1:
            return None
        self.fs.write(op["file_path"], text.replace(op["old_string"], op["new_string"], 1))
        return op["new_string"].count("\n") - op["old_string"].count("\n")


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        wanted = json.load(file)["operations"]
    begun = time.perf_counter()
    MultiEditExecutor(FileSystem(sys.argv[1])).execute(wanted)
    print((time.perf_counter() - begun) * 1000)
