import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { UntimedEntry } from "./entry.js";
import { JournalFile, JournalTail, readJournal } from "./journal-file.js";

describe("a journal", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "chaos-journal-"));
    path = join(folder, "journal");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const stopped: UntimedEntry = { type: "process", event: "stopped", detail: "" };

  it("reads back its entries in order and with their times", () => {
    const journal = new JournalFile(path);
    const added = [journal.add(stopped), journal.add({ ...stopped, event: "started" })];
    journal.close();
    expect(readJournal(path)).toEqual(added);
  });

  it("ignores an unfinished line of a killed process, and continues after it", async () => {
    const killed = new JournalFile(path);
    const before = killed.add(stopped);
    killed.close();
    await appendFile(path, '{"type":"ack","op":"1-');
    const next = new JournalFile(path);
    const after = next.add(stopped);
    next.close();
    expect(readJournal(path)).toEqual([before, after]);
  });

  it("returns each line once it is complete, while the journal grows", async () => {
    const tail = new JournalTail(path);
    expect(tail.read()).toEqual([]);
    const journal = new JournalFile(path);
    const first = journal.add(stopped);
    expect(tail.read()).toEqual([first]);
    const line = JSON.stringify(first);
    await appendFile(path, line.slice(0, 10));
    expect(tail.read()).toEqual([]);
    await appendFile(path, `${line.slice(10)}\n`);
    expect(tail.read()).toEqual([first]);
    journal.close();
  });
});
