import type { ProblemKind } from "../../src/index.js";

/** Damage that reads may not notice, and what `verify` says about it. */
export interface DamagedRow {
  readonly kind: ProblemKind;
  /** The row that a statement damages: the header of a checkpoint, one of its values, or a write beside it. */
  readonly damaged: "header" | "value" | "splice" | "write" | "interrupt";
  /** The part of an UPDATE after SET. */
  readonly set: string;
  /** The text behind the place. */
  readonly text: string;
}

function header(set: string, text: string): DamagedRow {
  return { kind: "corrupt-header", damaged: "header", set, text };
}

function field(key: string, json: string, text: string): DamagedRow {
  return header(`checkpoint = jsonb_set(checkpoint, '{${key}}', '${json}')`, text);
}

function metadata(json: string, text: string): DamagedRow {
  return header(`metadata = metadata || '${json}'`, text);
}

function value(set: string, text: string, damaged: "value" | "splice" = "value"): DamagedRow {
  return { kind: "corrupt-value", damaged, set, text };
}

function write(set: string, text: string, damaged: "write" | "interrupt" = "write"): DamagedRow {
  return { kind: "corrupt-write", damaged, set, text };
}

/** One row for each finding, in columns and fields that savers write in one way. */
export const DAMAGED_ROWS: readonly DamagedRow[] = [
  header("checkpoint_id = ''", 'the column "checkpoint_id" is empty; the header has the id "<id>"'),
  field("id", '"other"', 'the header has the id "other"'),
  ...["0", "5", "2.5", "-1"].map((v) =>
    field("v", v, `the header has the format ${v}, and 1 to 4 are known`),
  ),
  ...["", "yesterday", "2026-13-01T00:00:00Z"].map((ts) =>
    field("ts", `"${ts}"`, `"ts" of the header is no time: "${ts}"`),
  ),
  ...["channel_versions", "versions_seen"].flatMap((key) => [
    header(`checkpoint = checkpoint - '${key}'`, `the header lacks "${key}"`),
    field(key, "null", `the header lacks "${key}"`),
  ]),
  field(
    "v",
    '"4"',
    'the column "checkpoint" holds no checkpoint: ✖ Invalid input: expected number, received string → at v',
  ),
  header("metadata = '[]'", 'the column "metadata" holds no object'),
  ...["null", "1.5", '"1"'].map((json) =>
    metadata(`{"step": ${json}}`, '"step" of the metadata is no whole number'),
  ),
  ...["null", "1"].map((json) => metadata(`{"source": ${json}}`, '"source" of the metadata is no text')),
  ...["null", "[]", '{"": 1}', '"p"'].map((json) =>
    metadata(`{"parents": ${json}}`, '"parents" of the metadata is no object of texts'),
  ),

  value("whole_bytes = -5", '"whole_bytes" is -5'),
  value("whole_bytes = 7", '"whole_bytes" is 7, but there is no base'),
  value("base = '1'", 'it has the base "1", but it is no splice'),
  value("type = 'empty'", 'the type is "empty", but there are bytes'),
  value("whole_bytes = 1", '"whole_bytes" is 1, but the value has <bytes> bytes', "splice"),
  value("whole_bytes = -5", '"whole_bytes" is -5', "splice"),

  write("idx = -7", "no writer gives the index -7 to this channel"),
  write("idx = -2", "no writer gives the index -2 to this channel"),
  write("idx = -4", "no writer gives the index -4 to this channel", "interrupt"),
  write("task_path = null", 'the column "task_path" is NULL'),
  write("task_id = ''", 'the column "task_id" is empty'),
  write("checkpoint_id = ''", 'the column "checkpoint_id" is empty'),
];
