import type { ArchiveTarget } from "../src/index.js";

/** An archive in memory, and its files by name. */
export interface MemoryArchive extends ArchiveTarget {
  readonly files: Map<string, Uint8Array>;
}

/** Creates an archive that keeps its files in memory. */
export function memoryArchive(): MemoryArchive {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    write: async (name, content) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      files.set(name, Buffer.concat(chunks));
    },
    read: (name) => inPieces(files.get(name)),
    list: (prefix) => [...files.keys()].filter((name) => name.startsWith(prefix)),
  };
}

/** Short pieces, so that lines and the first bytes of a file are cut. */
async function* inPieces(file: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (file === undefined) throw new Error("there is no such file");
  yield file.subarray(0, 1);
  for (let at = 1; at < file.length; at += 1_000) yield await Promise.resolve(file.subarray(at, at + 1_000));
}
