import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { TelemetryChoice } from "../parsing/connection-options.js";
import type { StandardSchema } from "../parsing/standard-schema.js";
import type { Logger } from "../telemetry/logger.js";

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
  /** What spans and logs contain. */
  readonly telemetry?: TelemetryChoice | undefined;
}
