import { z } from "zod";
import { isRecord } from "../serde/objects/inspect-object.js";

/** Any object of JSON. A record of zod would leave out a key that is named `__proto__`, so that a filter by it would match everything. */
export const jsonObject = z.custom<Record<string, unknown>>(isRecord, "must be an object");
