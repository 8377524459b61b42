import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import type { StandardSchema } from "../../parsing/standard-schema.js";

const { logger, telemetry } = connectionOptions;

const stateSchema = z.custom<StandardSchema>(
  isSchema,
  "must be a Standard Schema, such as one of zod or valibot",
);

/** The schemas of the options of every checkpoint store, by name, with their defaults. */
export const checkpointStoreOptions = {
  stateSchema: stateSchema.optional(),
  // Checked by `checkedSerializer`.
  serde: z.custom<SerializerProtocol>(() => true).optional(),
  concurrency: z.enum(["unchecked", "optimistic"]).default("unchecked"),
  maxCheckpointBytes: z.int().min(1).optional(),
  logger,
  telemetry,
};

// Strict: a misspelt option would silently have no effect.
const storeOptions = z.strictObject(checkpointStoreOptions);

/** The parsed options of every store, with defaults. */
export type StoreOptions = z.output<typeof storeOptions>;

export function parseStoreOptions(options: unknown): StoreOptions {
  return parse(storeOptions, options, "options");
}

/** Returns the options of every store among those of one backend. */
export function commonOptions(options: StoreOptions): StoreOptions {
  const { stateSchema, serde, concurrency, maxCheckpointBytes, logger, telemetry } = options;
  return { stateSchema, serde, concurrency, maxCheckpointBytes, logger, telemetry };
}

function isSchema(value: unknown): boolean {
  const standard: unknown =
    (typeof value === "object" || typeof value === "function") && value !== null
      ? Reflect.get(value, "~standard")
      : undefined;
  return typeof standard === "object" && standard !== null && "validate" in standard;
}
