import { existsSync, readlinkSync, readdirSync } from "node:fs";
import { type FileHandle, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { archiveFolder } from "../../src/index.js";
import { collect } from "../../test-support/checkpoints.js";

describe("a folder as the target of an archive", () => {
  const options = { signal: undefined };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-folder-"));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  async function* content(failure?: Error): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from("content"));
    if (failure !== undefined) throw failure;
  }

  it("flushes a file before it gets its name, and the name afterwards", async () => {
    const flushed: string[][] = [];
    const handle = await open(folder, "r");
    const methods = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    jest.spyOn(methods, "sync").mockImplementation(async () => {
      flushed.push((await readdir(folder)).map((name) => name.replace(/-.*/, "")));
    });
    await archiveFolder(folder).write("file", content(), options);
    expect(flushed).toEqual(process.platform === "win32" ? [[".draft"]] : [[".draft"], ["file"]]);
  });

  it("leaves no file open, and none behind that was not written whole", async () => {
    const target = archiveFolder(folder);
    await target.write("whole", content(), options);
    await expect(target.write("cut", content(new Error("the disk is full")), options)).rejects.toThrow(
      "full",
    );
    expect(await readdir(folder)).toEqual(["whole"]);
    expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
  });

  it("lists what begins with a prefix, and no file that was not written whole", async () => {
    for (const name of [".draft-0a", "a~1", "b~a~", "b~.draft-"]) await writeFile(join(folder, name), "");
    const listed = async (prefix: string) => (await collect(list(folder, prefix))).sort();
    expect(await listed("a~")).toEqual(["a~1"]);
    expect(await listed("")).toEqual(["a~1", "b~.draft-", "b~a~"]);
    expect(await collect(list(join(folder, "none"), ""))).toEqual([]);
  });

  async function* list(path: string, prefix: string): AsyncGenerator<string> {
    yield* archiveFolder(path).list(prefix, options);
  }

  it.each(["", 1, undefined])("needs a path: %j is none", (path) => {
    expect(() => archiveFolder(path as string)).toThrow("path: must be the path of a folder");
  });
});

/** The paths of the files that this process has open, where the system tells them. */
function openFiles(): string[] {
  const handles = "/proc/self/fd";
  if (!existsSync(handles)) return [];
  return readdirSync(handles).flatMap((handle) => {
    try {
      return [readlinkSync(join(handles, handle))];
    } catch {
      // It was the one of this directory.
      return [];
    }
  });
}
