import { CheckpointError, DatabaseError } from "../../errors/index.js";
import type { Statement } from "../../db/statements/statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";
import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { BackendCall, CheckCall, CheckpointBackend, SetupCall } from "../model/backend.js";
import {
  type ReadRecord,
  readRecord,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  type StoredRecord,
  type Trim,
  trimsOf,
} from "../model/stored-record.js";
import { type ListedRow, type RecordStatements, recordStatements } from "./record-statements.js";
import { type RecordDialect, type RecordRow, toParams, toRecord } from "./record-dialect.js";

/** How a backend sends its statements. It retries transient faults, and throws errors of this library. */
export interface RecordConnection {
  address(): DatabaseAddress;
  setup(call: SetupCall): Promise<void>;
  run<Params extends object, Row>(
    call: BackendCall,
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row[]>;
  /** Checks whether records can be saved now. Where it is missing, a deletion of nothing tells. */
  check?(call: CheckCall): Promise<void>;
  /** Sends statements in one transaction, and returns their rows. Transactions with a common scope run one after another. */
  transact(
    call: BackendCall,
    scopes: readonly RecordScope[],
    steps: (schema: string) => TransactionSteps,
  ): Promise<readonly (readonly unknown[])[]>;
  close(): Promise<void>;
}

/** What a backend of a SQL database consists of. */
interface SqlBackendParts {
  readonly system: string;
  readonly maxTextBytes: number;
  readonly table: string;
  readonly dialect: RecordDialect;
  readonly connection: RecordConnection;
}

const PAGE = 100;

/** Keeps records in a table of a SQL database. */
export class SqlBackend implements CheckpointBackend {
  readonly system: string;
  readonly maxTextBytes: number;
  readonly #dialect: RecordDialect;
  readonly #connection: RecordConnection;
  readonly #statements: RecordStatements;

  constructor({ system, maxTextBytes, table, dialect, connection }: SqlBackendParts) {
    this.system = system;
    this.maxTextBytes = maxTextBytes;
    this.#dialect = dialect;
    this.#connection = connection;
    this.#statements = recordStatements(dialect, table);
  }

  address(): DatabaseAddress {
    return this.#connection.address();
  }

  setup(call: SetupCall): Promise<void> {
    return this.#connection.setup(call);
  }

  async save(record: StoredRecord, rules: SaveRules, call: BackendCall): Promise<number | undefined> {
    return (await this.#save([record], rules, call))?.version;
  }

  saveMany(
    records: readonly StoredRecord[],
    rules: SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined> {
    return this.#save(records, rules, call);
  }

  async check(call: CheckCall): Promise<void> {
    if (this.#connection.check !== undefined) await this.#connection.check(call);
    // No record has an empty id.
    else await this.delete("", call);
  }

  async load(id: string, call: BackendCall): Promise<StoredRecord | undefined> {
    const [row] = await this.#connection.run(call, this.#statements.load, { id });
    return row && toRecord(this.#dialect, row);
  }

  async list(scope: RecordScope, range: RecordRange, call: BackendCall): Promise<readonly ReadRecord[]> {
    const rows = await this.#listed(scope, range, { byInstant: false }, call);
    // All rows have the same answer.
    const isElsewhere = Number(rows[0]?.elsewhere ?? 0) === 1;
    const sorted = isElsewhere ? await this.#listed(scope, range, { byInstant: true }, call) : rows;
    return sorted.map((row) => this.#read(row));
  }

  async delete(id: string, call: BackendCall): Promise<boolean> {
    return (await this.#connection.run(call, this.#statements.delete, { id })).length > 0;
  }

  async clear({ by, id }: RecordScope, call: BackendCall): Promise<number> {
    return (await this.#connection.run(call, this.#statements.clear.of(by), { scope: id })).length;
  }

  async count(call: BackendCall): Promise<number> {
    const [row] = await this.#connection.run(call, this.#statements.count, {});
    return Number(row?.records);
  }

  async *pages(after: string | undefined, call: BackendCall): AsyncGenerator<readonly ReadRecord[]> {
    for (let last = after; ;) {
      const statement = this.#statements.page.of({ isFirst: last === undefined });
      const rows = await this.#connection.run(call, statement, { after: last, limit: PAGE });
      if (rows.length > 0) yield rows.map((row) => this.#read(row));
      if (rows.length < PAGE) return;
      last = rows.at(-1)?.id;
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #read(row: RecordRow): ReadRecord {
    return readRecord(() => toRecord(this.#dialect, row));
  }

  #listed(
    { by, id }: RecordScope,
    { limit, order }: RecordRange,
    { byInstant }: { readonly byInstant: boolean },
    call: BackendCall,
  ): Promise<ListedRow[]> {
    const limited = limit === undefined ? "none" : limit === 1 ? "one" : "parameter";
    const statement = this.#statements.list.of({ by, order, limit: limited, byInstant });
    return this.#connection.run(call, statement, { scope: id, limit });
  }

  /** Saves all records or none. Returns the stored record that refuses one of them. */
  async #save(
    records: readonly StoredRecord[],
    { onlyNewer, keepLast }: SaveRules | SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined> {
    const rules: SqlRules = { onlyNewer, trims: trimsOf(records, keepLast) };
    for (;;) {
      const refused = await this.#attempt(records, rules, call);
      if (refused === undefined) return undefined;
      // Only the rule makes a statement store nothing. A trigger or a broken database may do so as well.
      if (!onlyNewer) {
        const reason = "the database has stored nothing, without an error";
        throw new DatabaseError(reason, { checkpointId: refused.id });
      }
      const version = await this.#refusingVersion(refused, call);
      if (version !== undefined) return { id: refused.id, version };
    }
  }

  /** Saves all records or none. Returns the first that the database has not stored. */
  async #attempt(
    records: readonly StoredRecord[],
    rules: SqlRules,
    call: BackendCall,
  ): Promise<StoredRecord | undefined> {
    const [only, ...others] = records;
    if (only === undefined || others.length + rules.trims.length > 0)
      return this.#transact(records, rules, call);
    const save = this.#statements.save.of(rules.onlyNewer);
    const rows = await this.#connection.run(call, save, toParams(this.#dialect, only));
    return rows.length > 0 ? undefined : only;
  }

  /**
   * Returns the stored version that has refused a record; `undefined` where another program has meanwhile deleted the stored record, or replaced
   * it by an older one.
   */
  async #refusingVersion({ id, version }: StoredRecord, call: BackendCall): Promise<number | undefined> {
    const [stored] = await this.#connection.run(call, this.#statements.version, { id });
    const storedVersion = Number(stored?.version);
    return storedVersion >= version ? storedVersion : undefined;
  }

  /** Sends {@link #attempt} as one transaction. One that the rule `onlyNewer` refuses ends it. */
  async #transact(
    records: readonly StoredRecord[],
    { onlyNewer, trims }: SqlRules,
    call: BackendCall,
  ): Promise<StoredRecord | undefined> {
    const steps = (schema: string): TransactionSteps => {
      const guard = records.map((record) => ({
        statement: this.#statements.save.of(onlyNewer).bind(schema, toParams(this.#dialect, record)),
        check: (rows: readonly unknown[]): void => {
          if (rows.length === 0) throw new SaveRefused(record);
        },
      }));
      const trimming = trims.map(({ scope, saved, keep }) =>
        this.#statements.trim.of(scope.by).bind(schema, { scope: scope.id, saved, keep }),
      );
      // Only the rule refuses. Without it, all statements are sent at once.
      if (onlyNewer) return { guard, statements: trimming };
      return { statements: [...guard.map(({ statement }) => statement), ...trimming] };
    };
    try {
      const scopes = trims.map(({ scope }) => scope);
      const rows = await this.#connection.transact(call, scopes, steps);
      return onlyNewer ? undefined : records.find((_, n) => rows[n]?.length === 0);
    } catch (error) {
      if (error instanceof SaveRefused) return error.record;
      throw error;
    }
  }
}

/** What a save of records does besides storing them. */
interface SqlRules {
  readonly onlyNewer: boolean;
  readonly trims: readonly Trim[];
}

/** Ends a transaction in which a newer record refused another one. Only this file sees it. */
class SaveRefused extends CheckpointError {
  override name = "SaveRefused";
  readonly record: StoredRecord;
  constructor(record: StoredRecord) {
    super("CHECKPOINT_VERSION", "a newer checkpoint is stored");
    this.record = record;
  }
}
