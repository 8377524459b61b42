import { CheckpointError } from "./checkpoint-error.js";

/**
 * A checkpoint store with the option `concurrency: "optimistic"` has refused a checkpoint, because the stored one of the same id has the
 * same version or a newer one. Nothing was stored.
 *
 * @remarks Load the checkpoint, and save with a larger `version`.
 *
 * @example
 * ```ts
 * if (error instanceof CheckpointVersionError) console.log(error.version, error.storedVersion);
 * ```
 */
export class CheckpointVersionError extends CheckpointError {
  override name = "CheckpointVersionError";
  /** The version of the checkpoint that was to be saved. */
  readonly version: number;
  /** The version of the stored checkpoint. */
  readonly storedVersion: number;

  constructor(checkpointId: string, version: number, storedVersion: number) {
    super(
      "CHECKPOINT_VERSION",
      `checkpoint "${checkpointId}": version ${version} is not larger than the stored version ${storedVersion}`,
      { checkpointId },
    );
    this.version = version;
    this.storedVersion = storedVersion;
  }
}

/**
 * The state of a checkpoint does not fit the option `stateSchema` of its checkpoint store; `issues` say why. Nothing is returned.
 *
 * @remarks Correct the schema. Change stored states before a schema becomes stricter.
 */
export class CheckpointSchemaError extends CheckpointError {
  override name = "CheckpointSchemaError";
  /** The problems, as the schema reports them. */
  readonly issues: readonly { readonly message: string }[];

  constructor(checkpointId: string, issues: readonly { readonly message: string }[]) {
    const [first] = issues;
    super(
      "CHECKPOINT_SCHEMA",
      `the state of checkpoint "${checkpointId}" does not fit the schema of its store: ${
        first?.message ?? "no reason given"
      }`,
      { checkpointId },
    );
    this.issues = issues;
  }
}
