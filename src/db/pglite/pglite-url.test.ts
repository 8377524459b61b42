import { posix, win32 } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { pgliteFolderOf, pgliteUrlFault } from "./pglite-url.js";

const SYSTEMS = [
  { platform: "linux", path: posix, absolute: ["file:///var/data", "/var/data"] },
  { platform: "darwin", path: posix, absolute: ["file:///Users/me/data", "/Users/me/data"] },
  { platform: "win32", path: win32, absolute: ["file:///C:/data", "C:/data"] },
  { platform: "win32", path: win32, absolute: [String.raw`file://c:\data`, String.raw`c:\data`] },
] as const;

describe.each(SYSTEMS)(
  "the URL of a PGlite folder on $platform: $absolute.0",
  ({ platform, path, absolute }) => {
    const [url, folder] = absolute;

    it("names a folder by its absolute path", () => {
      expect(pgliteFolderOf(url, platform)).toBe(folder);
      expect(path.isAbsolute(folder)).toBe(true);
      expect(pgliteUrlFault(url, platform)).toBeUndefined();
    });

    it("names a folder from the working directory, and none in memory", () => {
      expect(path.isAbsolute(pgliteFolderOf("file://data/agents", platform) ?? "/")).toBe(false);
      expect(pgliteFolderOf("memory://", platform)).toBeUndefined();
    });

    it("is refused with the address of a server, whose password would become the name of a folder", () => {
      expect(pgliteUrlFault("file://me:secret@db.example.com/agents", platform)).toBeDefined();
      expect(pgliteUrlFault("file://C:secret@db/agents", platform)).toBeDefined();
    });
  },
);
