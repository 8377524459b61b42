import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { functionSchema } from "../../parsing/function-schema.js";
import { parse } from "../../parsing/parse.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";
import type { StoreCall } from "../store-call.js";
import type { ReembedOptions } from "../store-options.js";

const reembedOptions = z.strictObject({
  batchSize: z.int().min(1).max(10_000).default(100),
  onProgress: functionSchema<NonNullable<ReembedOptions["onProgress"]>>().optional(),
});

/** Parses the options of `reembed`, and returns how the store embeds. */
export function parseReembed({ settings, database }: StoreCall, options: unknown) {
  const plan = parse(reembedOptions, options, "options");
  const vectors = requiredVectors(settings.vectors);
  if (settings.root.length > 0) {
    throw new InvalidConfigError(
      "reembed",
      "embeds the items of all namespaces: call it on the store that is not scoped",
    );
  }
  if (database.kysely.isTransaction) {
    throw new InvalidConfigError(
      "reembed",
      "needs transactions of its own: pass in a pool, a Kysely or a connection string",
    );
  }
  return { vectors, plan };
}

function requiredVectors(vectors: VectorSettings | undefined): VectorSettings {
  if (vectors !== undefined) return vectors;
  throw new InvalidConfigError("reembed", 'needs the option "index" of the store');
}
