import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { VECTOR_DISTANCES, type VectorIndex } from "../../migrations/vector-layout.js";
import { keyText } from "../../parsing/keys.js";
import {
  type EmbeddingsFunction,
  type EmbeddingsLike,
  isEmbeddings,
  modelNameOf,
  toEmbeddings,
} from "../embeddings/embedder.js";
import { tokenizePath, WHOLE_VALUE } from "../embeddings/text-path.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";

const positive = z.int().min(1);

/** The path of texts of a value. */
const textPath = keyText.refine(
  (path) => tokenizePath(path).length > 0,
  "must be a path such as title, list[*] or $",
);

/** The paths of a put or a rule; `false` for none. */
export const indexedPaths = z.union([z.literal(false), z.array(textPath)]);

const embeddings = z.custom<EmbeddingsLike | EmbeddingsFunction>(
  isEmbeddings,
  "must be a function, or have the functions embedDocuments and embedQuery",
);

const option = z.strictObject({
  dims: z.int().min(1).max(16_000),
  embed: embeddings.optional(),
  embeddings: embeddings.optional(),
  model: keyText.min(1).optional(),
  fields: z.array(textPath).min(1).default([WHOLE_VALUE]),
  distanceMetric: z.enum(VECTOR_DISTANCES).default("cosine"),
  vectorType: z.enum(["vector", "halfvec"]).optional(),
  indexType: z.enum(["hnsw", "ivfflat", "flat"]).default("hnsw"),
  hnsw: z
    .strictObject({
      m: z.int().min(2).max(100).optional(),
      efConstruction: z.int().min(4).max(1_000).optional(),
      ef: positive.max(1_000).optional(),
    })
    .default({}),
  ivfflat: z
    .strictObject({
      lists: positive.max(32_768).optional(),
      probes: positive.max(32_768).optional(),
    })
    .default({}),
  // Accepted and ignored, because the official store has it: a store compares embeddings in one way.
  createAllMetricIndexes: z.boolean().optional(),
  batchSize: positive.default(256),
});

/** The schema of the option `index`. Its names are those of the official store and of InMemoryStore. */
export const indexOption = option.transform(toSettings);

type IndexOption = z.output<typeof option>;

/** The name of a model that has no name. */
const UNNAMED = "default";

/** How many dimensions an index of pgvector takes, by the type of the column. */
const MOST_INDEXED = { vector: 2_000, halfvec: 4_000 } as const;

function toSettings(parsed: IndexOption): VectorSettings {
  const { dims, fields, batchSize, distanceMetric: distance, indexType, hnsw, ivfflat } = parsed;
  const given = parsed.embed ?? parsed.embeddings;
  if (given === undefined)
    throw new InvalidConfigError("options.index.embed", "is missing: the model that embeds texts");
  const type =
    parsed.vectorType ?? (dims > MOST_INDEXED.vector && indexType !== "flat" ? "halfvec" : "vector");
  if (indexType !== "flat" && dims > MOST_INDEXED[type]) {
    const remedy = dims > MOST_INDEXED.halfvec ? 'indexType: "flat"' : 'vectorType: "halfvec"';
    throw new InvalidConfigError(
      "options.index.dims",
      `an index of pgvector takes up to ${MOST_INDEXED[type]} dimensions of type ${type}: use ${remedy}`,
    );
  }
  return {
    dims,
    fields,
    batchSize,
    model: parsed.model ?? modelNameOf(given) ?? UNNAMED,
    embeddings: toEmbeddings(given),
    layout: { dims, type, distance, index: indexOf(parsed) },
    effort: indexType === "ivfflat" ? ivfflat.probes : hnsw.ef,
  };
}

function indexOf({ indexType, hnsw, ivfflat }: IndexOption): VectorIndex {
  if (indexType === "hnsw") return { kind: "hnsw", m: hnsw.m, efConstruction: hnsw.efConstruction };
  return indexType === "ivfflat" ? { kind: "ivfflat", lists: ivfflat.lists } : { kind: "flat" };
}
