import { describeKilledArchive } from "./killed-archive.js";

describeKilledArchive(
  "whole threads, a file for each",
  { strategy: "delete", threads: ["a", "b"] },
  "thread",
);
