import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type TelemetryChoice, connectionOptions } from "../parsing/connection-options.js";
import { isStandardSchema, type StandardSchema, functionSchema } from "../parsing/parse.js";
import type { Logger } from "../telemetry/logger.js";
import { z } from "zod";
import { abortSignal } from "../parsing/parse-call-options.js";
import type { VerifyCheckpointsOptions } from "./checkpoint-store.js";

/** Options of every checkpoint store. */
export interface CheckpointStoreOptions {
  /** Checks each state that is read, and returns it as the schema has it: zod, valibot or any other Standard Schema. Default: no check. */
  readonly stateSchema?: StandardSchema | undefined;
  /**
   * Encodes and decodes the states, to encrypt them for example. Metadata stays readable, since checkpoints are listed by it. Default: states
   * are JSON, as other programs read them.
   */
  readonly serde?: SerializerProtocol | undefined;
  /**
   * `optimistic` refuses a checkpoint whose version is not larger than the stored one of the same id, unless it is equal to it.
   * `unchecked` replaces it. Default `unchecked`.
   */
  readonly concurrency?: "unchecked" | "optimistic" | undefined;
  /** The most bytes of a checkpoint's state and metadata, encoded. Default: what the database can hold. */
  readonly maxCheckpointBytes?: number | undefined;
  /** The logger for retries and failed calls. Default: none. */
  readonly logger?: Logger | undefined;
  /** What spans and logs contain: with `{ threadIds: false }` no ids of threads, which may be personal data. */
  readonly telemetry?: TelemetryChoice | undefined;
}

/** The schemas of the options of every checkpoint store, by name, with their defaults. */
export const checkpointStoreOptions = {
  stateSchema: z
    .custom<StandardSchema>(isStandardSchema, "must be a Standard Schema, such as one of zod or valibot")
    .optional(),
  // Checked by `checkedSerializer`.
  serde: z.custom<SerializerProtocol>(() => true).optional(),
  concurrency: z.enum(["unchecked", "optimistic"]).default("unchecked"),
  maxCheckpointBytes: z.int().min(1).optional(),
  logger: connectionOptions.logger,
  telemetry: connectionOptions.telemetry,
};

// Strict: a misspelt option would silently have no effect.
export const backendStoreOptions = z.strictObject(checkpointStoreOptions);

/** Returns the options of every store among those of one backend. */
export function optionsOfEveryStore(options: z.output<typeof backendStoreOptions>): CheckpointStoreOptions {
  const { stateSchema, serde, concurrency, maxCheckpointBytes, logger, telemetry } = options;
  return { stateSchema, serde, concurrency, maxCheckpointBytes, logger, telemetry };
}

const signal = abortSignal.nullish().transform((given) => given ?? undefined);
const count = z.int().min(1).optional();

export const saveOptions = z.strictObject({ signal, keepLast: count }).default({ signal: undefined });
const skipDamaged = z.boolean().default(false);
export const latestOptions = z
  .strictObject({ signal, skipDamaged })
  .default({ signal: undefined, skipDamaged: false });
export const listOptions = z
  .strictObject({ signal, limit: count, order: z.enum(["asc", "desc"]).default("asc"), skipDamaged })
  .default({ signal: undefined, order: "asc", skipDamaged: false });

export const verifyOptions = z
  .strictObject({
    signal: abortSignal.optional(),
    onProgress: functionSchema<NonNullable<VerifyCheckpointsOptions["onProgress"]>>().optional(),
  })
  .prefault({});
