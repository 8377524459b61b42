import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import type { ArchiveTarget } from "../archive-types.js";

const functions = z.object({
  write: functionSchema<ArchiveTarget["write"]>(),
  read: functionSchema<ArchiveTarget["read"]>(),
  list: functionSchema<ArchiveTarget["list"]>(),
});

/** The schema of a target. The methods of a class need their object, so the target itself is kept. */
export const archiveTarget = z.custom<ArchiveTarget>(
  (value) => functions.safeParse(value).success,
  "must have the functions write, read and list",
);
