import pg from "pg";
import type { SentStatement } from "./recorded-statements.js";

/** A statement as the server executed it. */
export interface ExecutedStatement extends SentStatement {
  /** The number of its transaction: settings of a transaction hold until its end. */
  readonly transaction: number;
}

/** A pool that records what is sent through it. */
export interface RecordingPool extends AsyncDisposable {
  readonly pool: pg.Pool;
  /** What was sent in each round trip: its last statement. Empty it before the calls that a test is about. */
  readonly sent: SentStatement[];
  /** All statements, also those that were sent together. */
  readonly executed: ExecutedStatement[];
}

/** Opens a pool that records each statement with its parameters, also those that several calls share. */
export function recordPool(connectionString: string, options: pg.PoolConfig = {}): RecordingPool {
  const sent: SentStatement[] = [];
  const executed: ExecutedStatement[] = [];
  let transactions = 0;
  const pool = new pg.Pool({ connectionString, ...options });
  pool.on("connect", (client) => {
    const query: (config: pg.QueryConfig, ...rest: unknown[]) => Promise<pg.QueryResult> =
      client.query.bind(client);
    Object.assign(client, {
      query: (config: pg.QueryConfig, ...rest: unknown[]) => {
        const values: readonly unknown[] = config.values ?? [];
        sent.push({ text: config.text, parameters: [...values] });
        return query(config, ...rest);
      },
    });
    if (client instanceof pg.Client) {
      recordConnection(client.connection, { executed, nextTransaction: () => ++transactions });
    }
  });
  return { pool, sent, executed, [Symbol.asyncDispose]: () => pool.end() };
}

interface Recorder {
  readonly executed: ExecutedStatement[];
  readonly nextTransaction: () => number;
}

/** Records the messages of a connection: what was prepared is bound by its name alone. */
function recordConnection(connection: pg.Connection, { executed, nextTransaction }: Recorder): void {
  const parse = connection.parse.bind(connection);
  const bind = connection.bind.bind(connection);
  const query = connection.query.bind(connection);
  const sync = connection.sync.bind(connection);
  const texts = new Map<string, string>();
  let transaction = nextTransaction();
  let isOpen = false;
  const record = (text: string, parameters: readonly unknown[]): void => {
    executed.push({ text, parameters, transaction });
    if (/^\s*begin\b/i.test(text)) isOpen = true;
    if (/^\s*(?:commit|rollback)\b/i.test(text)) isOpen = false;
  };
  const endRoundTrip = (): void => {
    if (!isOpen) transaction = nextTransaction();
  };
  Object.assign(connection, {
    parse: (...given: Parameters<typeof parse>) => {
      texts.set(given[0].name, given[0].text);
      parse(...given);
    },
    bind: (...given: Parameters<typeof bind>) => {
      const { statement = "", values = [] } = given[0] ?? {};
      record(texts.get(statement) ?? "", values);
      bind(...given);
    },
    query: (text: string) => {
      record(text, []);
      query(text);
      endRoundTrip();
    },
    sync: () => {
      sync();
      endRoundTrip();
    },
  });
}
