import {
  type Expression,
  type RawBuilder,
  type SqlBool,
  IdentifierNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformResultArgs,
  type PluginTransformQueryArgs,
  type QueryResult,
  type RootOperationNode,
  type SchemableIdentifierNode,
  type UnknownRow,
} from "kysely";
import type { StatementDialect } from "../../db/statements/statement-dialect.js";
import { CorruptCheckpointError } from "../../errors/index.js";
import type { StoredRecord } from "../model/stored-record.js";
import { z } from "zod";
import { CHECKPOINT_STORE_TABLE, problemOfCheckpointTable } from "../../migrations/checkpoint-table.js";

/** What differs between the databases in the statements of a checkpoint store. */
export interface RecordDialect {
  readonly statements: StatementDialect;
  /** What the column of the metadata has where there is none. */
  readonly noMetadata: string | null;
  /** Converts a parameter with JSON text to the type of the column. */
  readonly toJson: <T>(text: RawBuilder<T>) => RawBuilder<T>;
  /** Converts a column with JSON to text. */
  readonly fromJson: (column: Expression<unknown>) => RawBuilder<string>;
  /** Whether {@link fromJson} and {@link fromTime} take time. */
  readonly convertsColumns: boolean;
  /** Converts a parameter, as {@link timeText} returns it, to the type of the column. */
  readonly toTime: (text: RawBuilder<string>) => RawBuilder<string>;
  /** Converts the column of the time to a text, as {@link parseTime} takes it. */
  readonly fromTime: (column: Expression<unknown>) => RawBuilder<string>;
  /** An id as it is compared and sorted: by its bytes. */
  readonly bytesOf: (id: Expression<string>) => Expression<string>;
  /** Returns the text that stores a time. */
  readonly timeText: (time: Date) => string;
  /** Returns the time of a stored text. It is invalid where the text is no time. */
  readonly parseTime: (text: string) => Date;
  /** Where times are texts with a time zone, so that their order may differ from that of the texts. */
  readonly zoned?: ZonedTimes;
}

/** How to sort times that are texts. */
export interface ZonedTimes {
  /** Whether a time is in another zone than UTC. */
  readonly isElsewhere: (column: Expression<unknown>) => RawBuilder<SqlBool>;
  /** What to sort by: the time itself. No index has it. */
  readonly instantOf: (column: Expression<unknown>) => RawBuilder<unknown>;
}

/** A row as the statements return it. */
export interface RecordRow {
  readonly id: string;
  readonly execution_id: string;
  readonly thread_id: string | null;
  readonly node_name: string;
  readonly state: string;
  readonly metadata: string | null;
  readonly timestamp: string;
  /** A number, unless a pool of the caller parses numbers in its own way. */
  readonly version: number | string | bigint;
}

/** The parameters that store a record. */
export interface RecordParams extends Omit<StoredRecord, "threadId" | "metadata" | "timestamp"> {
  readonly threadId: string | null;
  readonly metadata: string | null;
  readonly timestamp: string;
}

/** The JSON of no metadata, as programs of Go write it. */
const JSON_NULL = "null";

export function toParams({ noMetadata, timeText }: RecordDialect, record: StoredRecord): RecordParams {
  const { threadId = null, metadata = noMetadata, timestamp } = record;
  return { ...record, threadId, metadata, timestamp: timeText(timestamp) };
}

/** @throws CorruptCheckpointError for a row with a time or a version that is none. */
export function toRecord(dialect: RecordDialect, row: RecordRow): StoredRecord {
  const { id, execution_id: executionId, thread_id: threadId, node_name: nodeName, state, metadata } = row;
  const timestamp = dialect.parseTime(row.timestamp);
  const version = Number(row.version);
  if (!Number.isSafeInteger(version)) {
    throw new CorruptCheckpointError("its version is not a whole number", { checkpointId: id });
  }
  if (Number.isNaN(timestamp.getTime())) {
    throw new CorruptCheckpointError(`version ${version}: its timestamp is not a time`, { checkpointId: id });
  }
  // SQLite stores bytes in a column of texts as well.
  if (typeof (state as unknown) !== "string" || typeof (metadata ?? "") !== "string") {
    throw new CorruptCheckpointError(`version ${version}: its state or its metadata is not a text`, {
      checkpointId: id,
    });
  }
  return {
    id,
    executionId,
    threadId: threadId === null || threadId === "" ? undefined : threadId,
    nodeName,
    state,
    metadata: metadata === null || metadata === JSON_NULL ? undefined : metadata,
    timestamp,
    version,
  };
}

/** The name of the table in the statements, for which the type of its rows is generated. */
const DEFAULT_TABLE = "checkpoint_store";

/**
 * Puts the name of the caller's table into a statement. The builder would take a dot in a name for the end of a schema, and ` as ` for the
 * beginning of an alias.
 */
export class RenameTable implements KyselyPlugin {
  readonly #renaming: Renaming;

  constructor(table: string) {
    this.#renaming = new Renaming(table);
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#renaming.transformNode(node);
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}

class Renaming extends OperationNodeTransformer {
  readonly #table: string;

  constructor(table: string) {
    super();
    this.#table = table;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    if (node.identifier.name !== DEFAULT_TABLE) return super.transformSchemableIdentifier(node);
    return { ...node, identifier: IdentifierNode.create(this.#table) };
  }
}

/** The name of the table, as the options of Postgres and of SQLite have it. */
export const tableName = z
  .string()
  .superRefine((name, context) => {
    const problem = problemOfCheckpointTable(name);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .default(CHECKPOINT_STORE_TABLE);
