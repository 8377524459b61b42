import { z } from "zod";
import { keyText } from "./keys.js";
import { staleReadOptions } from "./parse-call-options.js";

const DEFAULT_LIMIT = 50;

/** The options of every list that is paged by thread id. */
export const pageQuery = staleReadOptions.extend({
  after: keyText.optional(),
  limit: z.number().int().min(0).default(DEFAULT_LIMIT),
});
