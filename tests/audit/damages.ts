/** The row of a table before it is damaged. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** A change of one row in SQL, which a person or a broken disk may make. */
export interface Damage {
  readonly table: "checkpoints" | "checkpoint_blobs" | "checkpoint_writes";
  /** The part of an UPDATE after SET. Default: the row is deleted. @param n - Any whole number. */
  readonly set?: (n: number, row: StoredRow) => string;
  /** The rows that it can be done to. Default: all. */
  readonly fits?: (row: StoredRow, rows: readonly StoredRow[]) => boolean;
}

/*
 * What leaves a row that a saver may have stored is not among the changes, since nothing can find it: another number from 1 to 4 as the
 * format, other metadata of the right types, another stored parent or version, a deleted write, the index 0 of a special write, and other
 * bytes of a value of the same form. So bytes are changed at random only in splices and in encrypted values, which have checksums.
 */

function of<Change>(
  table: Damage["table"],
  changes: readonly Change[],
  toDamage: (change: Change) => Omit<Damage, "table">,
): Damage[] {
  return changes.map((change) => ({ table, ...toDamage(change) }));
}

/** Deeper than any reader follows. */
const NESTED = `('{"a":' || repeat('[', 1100) || repeat(']', 1100) || '}')::jsonb`;

const WRONG_JSON = ["null", "true", "9", '"none"', "[]", "[[]]"];

/** The field of a header with a value that it never has. */
function wrongField(key: string, types: readonly string[] = WRONG_JSON): Damage {
  return {
    table: "checkpoints",
    set: (n) => `checkpoint = jsonb_set(checkpoint, '{${key}}', '${at(types, n)}')`,
  };
}

const HEADERS: readonly Damage[] = [
  { table: "checkpoints" },
  ...of("checkpoints", ["v", "id", "ts", "channel_versions", "versions_seen"], (key) => ({
    set: () => `checkpoint = checkpoint - '${key}'`,
  })),
  ...["v", "id", "ts", "channel_versions", "versions_seen", "channel_versions,step"].map((key) =>
    wrongField(key, key === "channel_versions,step" ? [...WRONG_JSON, "{}"] : WRONG_JSON),
  ),
  wrongField("channel_values", ["true", "9", '"none"', "[]"]),
  wrongField("channel_versions", ["{}", '{"step": "gone"}']),
  ...of("checkpoints", WRONG_JSON, (json) => ({ set: () => `checkpoint = '${json}'` })),
  ...of("checkpoints", [...WRONG_JSON, '[{"source": "loop"}]'], (json) => ({
    set: () => `metadata = '${json}'`,
  })),
  ...of("checkpoints", ["step", "source", "parents"], (key) => ({
    set: (n) =>
      `metadata = jsonb_set(metadata, '{${key}}', '${at(key === "source" ? ["null", "9", "[]"] : ["null", "true", "1.5", '"none"', "[]"], n)}')`,
  })),
  ...of("checkpoints", ["{}", '{"": 9}', '{"": "gone"}', '{"gone": "gone"}'], (parents) => ({
    set: () => `metadata = jsonb_set(metadata, '{parents}', '${parents}')`,
    fits: ({ metadata }) => parents !== "{}" || String(metadata).includes('"parents": {}'),
  })),
  ...of(
    "checkpoints",
    [
      "metadata",
      "checkpoint = jsonb_set(checkpoint, '{extra}', N)",
      "checkpoint = jsonb_set(checkpoint, '{versions_seen}', N)",
    ],
    (set) => ({
      set: () => (set === "metadata" ? `metadata = ${NESTED}` : set.replace("N", NESTED)),
    }),
  ),
  ...of("checkpoints", ["''", "'gone'", "checkpoint_id || '0'"], (id) => ({
    set: () => `checkpoint_id = ${id}`,
  })),
  ...of("checkpoints", ["''", "'gone'", "checkpoint_id"], (id) => ({
    set: () => `parent_checkpoint_id = ${id}`,
  })),
];

/** Changes of the bytes and the type that no serializer can read. */
function broken(table: Damage["table"]): Damage[] {
  return [
    ...of(
      table,
      ["yaml", "json", "pickle", "msgpack+aes", "msgpack+zstd", "msgpack-splice", "", "MSGPACK"],
      (type) => ({
        set: () => `type = '${type}'`,
      }),
    ),
    { table, set: (n) => `blob = substring(blob from 1 for ${n} % length(blob))` },
    { table, set: (n) => `blob = substring(blob from 2 + ${n} % length(blob))`, fits: isChecked },
    { table, set: (n) => `blob = blob || '\\x${byte(n)}'` },
    { table, set: () => "blob = '\\xc1'" },
    {
      table,
      set: (n) =>
        `blob = set_byte(blob, ${n} % length(blob), get_byte(blob, ${n} % length(blob)) # ${1 + (n % 255)})`,
      fits: isChecked,
    },
  ];
}

const VALUES: readonly Damage[] = [
  { table: "checkpoint_blobs" },
  ...broken("checkpoint_blobs"),
  { table: "checkpoint_blobs", set: () => "blob = null" },
  { table: "checkpoint_blobs", set: () => "type = 'empty'" },
  { table: "checkpoint_blobs", set: () => "blob = '\\x91a161'", fits: isBase },
  ...of("checkpoint_blobs", ["version", "'gone'", "''"], (base) => ({ set: () => `base = ${base}` })),
  { table: "checkpoint_blobs", set: () => "base = null", fits: ({ base }) => base !== null },
  ...of("checkpoint_blobs", ["-5", "1", "null"], (length) => ({ set: () => `whole_bytes = ${length}` })),
  ...of("checkpoint_blobs", ["version", "channel", "checkpoint_ns"], (column) => ({
    set: () => `${column} = 'gone'`,
  })),
  { table: "checkpoint_blobs", set: () => "version = ''" },
];

const WRITES: readonly Damage[] = [
  ...broken("checkpoint_writes"),
  { table: "checkpoint_writes", set: () => "type = null" },
  { table: "checkpoint_writes", set: (n) => `idx = ${-5 - (n % 20)}` },
  { table: "checkpoint_writes", set: () => "task_path = null" },
  ...of(
    "checkpoint_writes",
    ["task_id = ''", "checkpoint_id = ''", "checkpoint_id = 'gone'", "checkpoint_ns = 'gone'"],
    (set) => ({ set: () => set }),
  ),
];

/** What may happen to one row. */
export const DAMAGES: readonly Damage[] = [...HEADERS, ...VALUES, ...WRITES];

/** Whether a checksum covers every byte. */
function isChecked({ type, encrypted }: StoredRow): boolean {
  return String(type).endsWith("-splice") || encrypted === 1;
}

function isBase({ checkpoint_ns, channel, version }: StoredRow, rows: readonly StoredRow[]): boolean {
  return rows.some(
    (row) => row.base === version && row.channel === channel && row.checkpoint_ns === checkpoint_ns,
  );
}

function at(items: readonly string[], n: number): string {
  return items[n % items.length] ?? "";
}

function byte(n: number): string {
  return (n % 256).toString(16).padStart(2, "0");
}
