import type { AliasedRawBuilder, Compilable, QueryCreator } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import {
  type GivenColumns,
  type GivenParams,
  givenParams,
  givenRows,
  type GivenShape,
  shapeOf,
} from "./given-rows.js";

/** A row of `checkpoints` to restore. JSONB columns are JSON text. */
export interface RestoredCheckpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string | null;
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** A row of `checkpoint_blobs` to restore. */
export interface RestoredBlob {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly type: string | null;
  readonly blob: Uint8Array | null;
  /** The version that a splice refers to. Absent or `null` for a whole value. */
  readonly base?: string | null | undefined;
  /** The length of the whole value that a splice stands for. */
  readonly whole_bytes?: number | null | undefined;
}

/** A row of `checkpoint_writes` to restore. */
export interface RestoredWrite {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string | null;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  readonly blob: Uint8Array | null;
}

/** A row that was inserted. */
export interface StoredRow {
  /** The length of its value. */
  readonly bytes: number;
}

/** A row that is already stored with different content. */
export interface DifferingRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  /** `null` for a value. */
  readonly checkpoint_id: string | null;
  /** `null` for a checkpoint. */
  readonly channel: string | null;
  /** The version of a value; `null` for other rows. */
  readonly version: string | null;
  /** The task of a write, and its position; `null` for other rows. */
  readonly task_id: string | null;
  readonly idx: number | null;
}

/** The given rows as a table expression. */
type Given<Row> = AliasedRawBuilder<Row, "given">;

/** The two queries over the given rows of a table. */
interface RestoreQueries<Row> {
  /** Inserts the rows whose keys are not stored yet, and locks the stored rows with the other keys. */
  readonly insert: (db: QueryCreator<CheckpointDatabase>, given: Given<Row>) => Compilable<StoredRow>;
  /** Selects the rows that are already stored with different content. */
  readonly selectDiffering: (
    db: QueryCreator<CheckpointDatabase>,
    given: Given<Row>,
  ) => Compilable<DifferingRow>;
}

/** The statements that restore rows of one table. `Accepted` has the types that the columns of the table accept. */
export class RestoreStatements<Row extends object, Accepted> {
  readonly #columns: GivenColumns<keyof Required<Row> & string>;
  readonly #insert: StatementFamily<GivenShape, GivenParams, StoredRow>;
  readonly #selectDiffering: StatementFamily<GivenShape, GivenParams, DifferingRow>;

  constructor(
    columns: GivenColumns<keyof Required<Row> & string>,
    { insert, selectDiffering }: RestoreQueries<Accepted>,
  ) {
    this.#columns = columns;
    this.#insert = new StatementFamily(
      (shape) => (db, parameter) => insert(db, givenRows("given", columns, parameter, shape)),
    );
    this.#selectDiffering = new StatementFamily(
      (shape) => (db, parameter) => selectDiffering(db, givenRows("given", columns, parameter, shape)),
    );
  }

  /**
   * Inserts the rows whose keys are not stored yet, and returns a row for each. It locks the stored rows with the other keys,
   * so that nobody deletes them before the transaction ends.
   */
  insert(schema: string, rows: readonly Row[]): BoundStatement<StoredRow> {
    const shape = shapeOf(rows);
    return this.#insert.of(shape).bind(schema, givenParams(this.#columns, rows, shape));
  }

  /** Selects the rows that are already stored with different content. */
  selectDiffering(schema: string, rows: readonly Row[]): BoundStatement<DifferingRow> {
    const shape = shapeOf(rows);
    return this.#selectDiffering.of(shape).bind(schema, givenParams(this.#columns, rows, shape));
  }
}
