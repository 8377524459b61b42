import { CheckpointError, DatabaseError } from "../../errors/index.js";
import type { BoundStatement, Statement } from "../../db/statements/statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";
import type { DatabaseAddress } from "../../telemetry/database-address.js";
import type { BackendCall, CheckpointBackend, SetupCall } from "../model/backend.js";
import type { RecordRange, RecordScope, SaveRules, StoredRecord } from "../model/stored-record.js";
import type { ListedRow } from "./queries/read-records.js";
import type { RecordDialect } from "./record-dialect.js";
import { toParams, toRecord } from "./record-row.js";
import { type RecordStatements, recordStatements } from "./record-statements.js";

/** How a backend sends its statements. It retries transient faults, and throws errors of this library. */
export interface RecordConnection {
  address(): DatabaseAddress;
  setup(call: SetupCall): Promise<void>;
  run<Params extends object, Row>(
    call: BackendCall,
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row[]>;
  /** Sends statements in one transaction. Transactions of the same scope run one after another. */
  transact(call: BackendCall, scope: RecordScope, steps: (schema: string) => TransactionSteps): Promise<void>;
  close(): Promise<void>;
}

/** What a backend of a SQL database consists of. */
export interface SqlBackendParts {
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
    while (!(await this.#isSaved(record, rules, call))) {
      // Only the rule makes the statement store nothing. A trigger or a broken database may do so as well.
      if (!rules.onlyNewer) {
        throw new DatabaseError("the database has stored nothing, without an error", {
          checkpointId: record.id,
        });
      }
      const [stored] = await this.#connection.run(call, this.#statements.version, { id: record.id });
      const version = Number(stored?.version);
      if (version >= record.version) return version;
      // Another program has meanwhile deleted the record that refused this one, or replaced it by an older one.
    }
    return undefined;
  }

  async load(id: string, call: BackendCall): Promise<StoredRecord | undefined> {
    const [row] = await this.#connection.run(call, this.#statements.load, { id });
    return row && toRecord(this.#dialect, row);
  }

  async list(scope: RecordScope, range: RecordRange, call: BackendCall): Promise<readonly StoredRecord[]> {
    const rows = await this.#listed(scope, range, { byInstant: false }, call);
    // All rows have the same answer.
    const isElsewhere = Number(rows[0]?.elsewhere ?? 0) === 1;
    const sorted = isElsewhere ? await this.#listed(scope, range, { byInstant: true }, call) : rows;
    return sorted.map((row) => toRecord(this.#dialect, row));
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

  async *pages(after: string | undefined, call: BackendCall): AsyncGenerator<readonly StoredRecord[]> {
    for (let last = after; ;) {
      const statement = this.#statements.page.of({ isFirst: last === undefined });
      const rows = await this.#connection.run(call, statement, { after: last, limit: PAGE });
      if (rows.length > 0) yield rows.map((row) => toRecord(this.#dialect, row));
      if (rows.length < PAGE) return;
      last = rows.at(-1)?.id;
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
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

  async #isSaved(
    record: StoredRecord,
    { onlyNewer, keepLast }: SaveRules,
    call: BackendCall,
  ): Promise<boolean> {
    const save = this.#statements.save.of(onlyNewer);
    const params = toParams(this.#dialect, record);
    if (keepLast === undefined) return (await this.#connection.run(call, save, params)).length > 0;
    const { scope, count } = keepLast;
    const trim = this.#statements.trim.of(scope.by);
    const trimParams = { scope: scope.id, saved: record.id, keep: count };
    try {
      await this.#connection.transact(call, scope, (schema) =>
        stepsOf(save.bind(schema, params), trim.bind(schema, trimParams), onlyNewer),
      );
      return true;
    } catch (error) {
      if (error instanceof SaveRefused) return false;
      throw error;
    }
  }
}

/** @param mayBeRefused - Whether the first statement may store nothing. Then the second one is not sent. */
function stepsOf(
  save: BoundStatement<unknown>,
  trim: BoundStatement<unknown>,
  mayBeRefused: boolean,
): TransactionSteps {
  if (!mayBeRefused) return { statements: [save, trim] };
  const check = (rows: readonly unknown[]): void => {
    if (rows.length === 0) throw new SaveRefused();
  };
  return { guard: [{ statement: save, check }], statements: [trim] };
}

/** Ends a transaction in which a newer record refused another one. Only this file sees it. */
class SaveRefused extends CheckpointError {
  override name = "SaveRefused";
  constructor() {
    super("CHECKPOINT_VERSION", "a newer checkpoint is stored");
  }
}
