import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import {
  AbortError,
  ArchiveError,
  archiveFolder,
  type ArchiveTarget,
  PostgresSaver,
} from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeServer } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";

const THREADS = { strategy: "delete", threads: ["a", "../b"] } as const;

describeServer("the target of an archive", (target) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-target-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function filled() {
    const database = await target.sharedDatabase();
    const saver = new PostgresSaver(database.source);
    for (const thread of THREADS.threads) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [thread] });
      await saver.putWrites(config, [["list", 1]], "task");
    }
    return { database, saver, before: await allRows(database) };
  }

  it.each<[string, Partial<ArchiveTarget>]>([
    ["reads other bytes than were written", { read: () => otherBytes() }],
    ["rejects a write", { write: () => Promise.reject(new Error("access denied")) }],
    ["resolves without a file", { write: () => Promise.resolve() }],
    [
      "stops reading in the middle of the content",
      {
        write: async (_name, content) => {
          for await (const _ of content) return;
        },
      },
    ],
  ])("costs no row if it %s", async (_what, faulty) => {
    const { database, saver, before } = await filled();
    const to = { ...memoryArchive(), ...faulty };
    await expect(saver.archive({ ...THREADS, to })).rejects.toThrow(ArchiveError);
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it("costs no row if it reads a whole file that was written earlier", async () => {
    const { database, saver, before } = await filled();
    const earlier = memoryArchive();
    await saver.archive({ strategy: "delete", threads: ["../b"], to: earlier });
    await saver.restore({ from: earlier });
    const [content = Buffer.alloc(0)] = earlier.files.values();
    const to: ArchiveTarget = { ...memoryArchive(), read: () => asStream(content) };
    // Not `../b` as well: on Citus it comes first, and its file is right.
    await expect(saver.archive({ ...THREADS, threads: ["a"], to })).rejects.toThrow(
      "is not the one that was written",
    );
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it.each([
    ["resolves", () => Promise.resolve()],
    ["rejects with an error of its own", () => Promise.reject(new Error("broken pipe"))],
  ])("hides no error of the rows, whether it then %s", async (_what, settle) => {
    const { database, saver, before } = await filled();
    const to: ArchiveTarget = {
      ...memoryArchive(),
      write: async (_name, content) => {
        // A busy machine may make the archive try again.
        await database.exec("alter table if exists checkpoint_writes rename to gone");
        for await (const _ of content) void _;
      },
    };
    const write: ArchiveTarget["write"] = (...args) => Promise.resolve(to.write(...args)).catch(settle);
    const error: unknown = await saver
      .archive({ ...THREADS, to: { ...to, write } })
      .catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(ArchiveError);
    expect(String(error)).toContain("checkpoint_writes");
    await database.exec("alter table gone rename to checkpoint_writes");
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it("costs no row if it cuts off or changes what it keeps, and nothing is restored from such a file", async () => {
    const { database, saver, before } = await filled();
    const archive = memoryArchive();
    await saver.archive({ ...THREADS, to: archive });
    const open = new Set<string>();
    const from: ArchiveTarget = {
      ...archive,
      async *read(name, options) {
        open.add(name);
        try {
          for await (const piece of await archive.read(name, options))
            for (const byte of piece) yield Buffer.of(byte);
        } finally {
          open.delete(name);
        }
      },
    };
    for (const [name, content] of [...archive.files]) {
      for (const damaged of [
        content.subarray(0, -9),
        content.map((byte, at) => (at === 30 ? byte ^ 1 : byte)),
      ]) {
        archive.files.set(name, damaged);
        await expect(saver.restore({ from, strict: true })).rejects.toThrow(ArchiveError);
        expect(open).toEqual(new Set());
        expect(Object.values(await allRows(database)).flat()).toEqual([]);
      }
      archive.files.set(name, content);
    }
    await saver.restore({ from: archive });
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it.each(["archive", "restore"] as const)("makes no failure of an aborted %s", async (what) => {
    const { database, saver, before } = await filled();
    const archive = memoryArchive();
    await saver.archive({ ...THREADS, to: archive });
    await saver.restore({ from: archive });
    const caller = new AbortController();
    const target: ArchiveTarget = {
      ...archive,
      read: () => {
        caller.abort();
        throw new Error("socket closed");
      },
    };
    const { signal } = caller;
    const call =
      what === "archive"
        ? saver.archive({ ...THREADS, to: target, signal })
        : saver.restore({ from: target, signal });
    await expect(call).rejects.toThrow(AbortError);
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it("may be a folder: only its owner reads the files, names stay inside of it, and a failed write leaves none", async () => {
    const { database, saver, before } = await filled();
    const path = join(folder, "archive");
    const to = archiveFolder(path);
    const failing: ArchiveTarget = {
      ...to,
      write: (name, content, options) => to.write(name, endingEarly(content, path), options),
    };
    await expect(saver.archive({ ...THREADS, to: failing })).rejects.toThrow(
      "can't be written: the disk is full",
    );
    expect(await readdir(path)).toEqual([]);
    expect(await allRows(database)).toEqual(before);
    await saver.archive({ ...THREADS, to });
    const names = await readdir(path);
    expect(names).toHaveLength(2);
    expect(names).toContainEqual(expect.stringMatching(/^%2E%2E%2Fb~/));
    if (process.platform !== "win32") {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
      expect((await stat(join(path, names[0] ?? ""))).mode & 0o777).toBe(0o600);
    }
    expect(await saver.restore({ from: to, threads: ["../b", "none"] })).toMatchObject({
      ...{ threads: 1, files: 1, missing: ["none"] },
    });
    await saver.restore({ from: to });
    expect(await allRows(database)).toEqual(before);
    await saver.end();
  });

  it("may list other files, which are left alone", async () => {
    const { saver } = await filled();
    const archive = memoryArchive();
    const to: ArchiveTarget = { ...archive, list: () => archive.files.keys() };
    archive.files.set("a~readme", Buffer.from("no rows"));
    archive.files.set("b~20990501T000000000Z-00000000aa-00000000bb.ndjson.gz", Buffer.from("no rows"));
    await saver.archive({ ...THREADS, to });
    expect(await saver.restore({ from: to, threads: ["a"] })).toMatchObject({
      threads: 1,
      files: 1,
      lostFiles: [],
    });
    await saver.end();
  });

  it.each(["is read", "has been removed"])(
    "is not asked again once a call is aborted while a file %s",
    async (when) => {
      const { database, saver, before } = await filled();
      const caller = new AbortController();
      const asked: string[] = [];
      const archive = memoryArchive();
      const to: ArchiveTarget = {
        ...archive,
        write: (...args) => {
          asked.push("write");
          return archive.write(...args);
        },
        read: (...args) => {
          if (when === "is read") caller.abort();
          return archive.read(...args);
        },
        list: (...args) => {
          asked.push("list");
          return archive.list(...args);
        },
      };
      const call = saver.archive({
        idleForMs: 0,
        to,
        signal: caller.signal,
        onProgress: () => {
          caller.abort();
        },
      });
      await expect(call).rejects.toThrow(AbortError);
      expect(asked).toEqual(["list", "write"]);
      const stays = when === "is read" ? before.checkpoints : before.checkpoints?.slice(1);
      expect((await allRows(database)).checkpoints).toHaveLength(stays?.length ?? 0);
      await saver.end();
    },
  );

  it("brings a thread back beside one that went on under the same id", async () => {
    const { saver } = await filled();
    const to = memoryArchive();
    const archived = await saver.getTuple(threadConfig("a"));
    expect(await saver.archive({ ...THREADS, to, filesPer: "run" })).toMatchObject({
      checkpoints: 2,
      blobs: 2,
    });
    const later = await putValues(saver, threadConfig("a"), { list: ["anew"] });
    await putValues(saver, threadConfig("other"), { list: [] });
    await saver.archive({ strategy: "delete", threads: ["other"], to, filesPer: "run" });
    expect(await saver.restore({ from: to, threads: ["a"] })).toMatchObject({ files: 1 });
    expect((await saver.getTuple(threadConfig("a")))?.checkpoint).toMatchObject({ id: later.checkpoint.id });
    expect(await saver.getTuple(archived?.config ?? {})).toEqual(archived);
    await saver.end();
  });
});

/** @param folder - Whose drafts somebody removes meanwhile. */
async function* endingEarly(content: AsyncIterable<Uint8Array>, folder?: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    for (const name of folder === undefined ? [] : await readdir(folder)) await rm(join(folder ?? "", name));
    throw new Error("the disk is full");
  }
}

async function* asStream(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}

async function* otherBytes(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from("other"));
}
