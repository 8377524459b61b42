import type { Step, Steps } from "./steps.js";

/** Sends one statement of a driver. The name is that of its prepared form. */
type Query = (
  name: string,
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly Row[]> | readonly Row[];

/** A row as a driver returns it: JSONB parsed, text not. */
export type Row = Readonly<Record<string, unknown>>;

interface Dialect {
  readonly query: Query;
  /** How a parameter is written. */
  readonly at: (n: number) => string;
  readonly types: { readonly json: string; readonly time: string; readonly key: string };
  /** Makes a step of a row, parsing what the driver has not. */
  readonly read: (row: Row) => object;
  readonly end: () => Promise<void>;
}

const COLUMNS = "id, execution_id, node_name, state, metadata, timestamp, version";
const NAMES = COLUMNS.split(", ");

/** The work of a store, written for the driver alone: one prepared statement for each call. */
export function rawSql({ query, at, types, read, end }: Dialect): Steps {
  const values = NAMES.map((_, index) => at(index + 1)).join(", ");
  const updates = NAMES.slice(1).map((name) => `${name} = excluded.${name}`);
  const insert = `insert into raw_steps (${COLUMNS}) values (${values}) on conflict (id) do update set ${updates.join(", ")}`;
  const load = `select ${COLUMNS} from raw_steps where id = ${at(1)}`;
  const ofExecution = `select ${COLUMNS} from raw_steps where execution_id = ${at(1)} order by`;
  const list = `${ofExecution} timestamp, version, id`;
  const latest = `${ofExecution} timestamp desc, version desc, id desc limit 1`;
  return {
    setup: async () => {
      const { json, time, key } = types;
      await query(
        "create",
        `create table raw_steps (id ${key} primary key, execution_id ${key} not null, node_name text not null,
          state ${json} not null, metadata ${json}, timestamp ${time} not null, version integer not null)`,
        [],
      );
      await query("index", "create index raw_steps_execution on raw_steps (execution_id, timestamp)", []);
    },
    save: async (step) => {
      await query("save", insert, valuesOf(step));
    },
    load: async (id) => {
      const [row] = await query("load", load, [id]);
      if (row === undefined) throw new Error("a step was not found");
      return read(row);
    },
    list: async (executionId) => (await query("list", list, [executionId])).map(read),
    latest: async (executionId) => (await query("latest", latest, [executionId])).map(read)[0],
    end,
  };
}

function valuesOf({ id, nodeName, state, metadata, timestamp, version }: Step): (string | number)[] {
  const texts = [id, metadata.execution_id, nodeName, JSON.stringify(state), JSON.stringify(metadata)];
  return [...texts, timestamp.toISOString(), version];
}
