import { inOneTransaction } from "../../db/statements/run-statement.js";
import { itemData, decodeItemValue } from "../item-codec.js";
import { toNamespace, itemId, type ItemKey } from "../queries/item-rows.js";
import { refuseMismatch } from "./embedding-check.js";
import { embedTexts, type VectorSettings } from "./embed-texts.js";
import { CHOSEN, embeddedTexts, pathsOfFields, SEEN } from "./item-texts.js";
import { itemVersions } from "../queries/get-items.js";
import {
  type UnembeddedRow,
  nextHashes,
  nextState,
  type NextVectorRow,
  writeNextVectors,
  dropNextVectors,
} from "../queries/next-vectors.js";
import { sendAlone, type StoreCall } from "../store-call.js";
import {
  type EmbeddedItem,
  toRow,
  type WantedVector,
  wantedVectors,
  StoredVectors,
  type KnownText,
} from "./wanted-vectors.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import { dropVectors, type KeptVector, vectorHashes, writeVectors } from "../queries/stored-vectors.js";
import { embeddingState, type EmbeddingStateRow } from "../queries/embedding-state.js";

/** An item with its version. */
type VersionedItem = EmbeddedItem & { readonly version: number };
type VersionedVector = WantedVector & { readonly version: number };

/**
 * Embeds the texts of items, except those whose vectors are known, and stores their vectors. It leaves out an item that another
 * program writes meanwhile.
 *
 * @returns How many texts were embedded.
 */
export async function embedBatch(
  call: StoreCall,
  vectors: VectorSettings,
  target: ReembedTarget,
  rows: readonly UnembeddedRow[],
): Promise<number> {
  const items = await Promise.all(rows.map((row) => toItem(call, vectors, row)));
  const wanted = items.flatMap((item) => wantedOf(vectors, target, item));
  const stored = new StoredVectors(await sendAlone(call, target.known(items)));
  const isInPlace = (row: WantedVector): boolean => !target.rebuilds && stored.hasInPlace(row);
  const missing = wanted.flatMap((row) => (row.text === undefined || stored.has(row) ? [] : [row.text]));
  const embedded = await embedTexts(vectors, missing, call.signal);
  await inOneTransaction(call, async (within) => {
    const { execute } = within.database;
    const [state] = await execute(target.state);
    refuseMismatch(call, vectors, state);
    const versions = await execute(itemVersions(call.schema, items));
    const unchanged = new Set(versions.map((row) => itemId(row, row.version)));
    const isUnchanged = (row: VersionedItem | VersionedVector): boolean =>
      unchanged.has(itemId(row, String(row.version)));
    const kept = wanted.filter(isUnchanged);
    const written = kept.filter((row) => !isInPlace(row));
    if (written.length > 0) {
      await execute(
        target.write(
          written.map((row) => ({ ...toRow(vectors, row, stored.has(row), embedded), version: row.version })),
        ),
      );
    }
    await execute(target.drop(items.filter(isUnchanged), kept));
  });
  return embedded.size;
}

function wantedOf(vectors: VectorSettings, { seen }: ReembedTarget, item: VersionedItem): VersionedVector[] {
  const { prefix, key, version } = item;
  const wanted = wantedVectors(vectors, item).map((row) => ({ ...row, version }));
  if (wanted.length > 0 || seen === undefined) return wanted;
  return [{ prefix, key, version, fieldName: seen, text: undefined, hash: null }];
}

async function toItem(
  { settings }: StoreCall,
  { fields }: VectorSettings,
  { prefix, key, value, version, field_names: names }: UnembeddedRow,
): Promise<VersionedItem> {
  const namespace = toNamespace(prefix);
  const data = itemData(await decodeItemValue(value, { namespace, key }, settings.sealing), "value");
  const fieldNames = namesOf(names);
  const choosesPaths = fieldNames.includes(CHOSEN);
  const ruled = settings.rules.of(namespace).index ?? fields;
  const paths = choosesPaths ? pathsOfFields(data, fieldNames) : ruled;
  return {
    prefix,
    key,
    version: Number(version),
    choosesPaths,
    texts: paths === false ? [] : embeddedTexts(data, paths),
  };
}

function namesOf(json: string | null): string[] {
  const names: unknown = JSON.parse(json ?? "[]");
  return Array.isArray(names) ? names.map(String) : [];
}

/** The columns that vectors are written to. */
export interface ReembedTarget {
  /** Whether the columns are new, beside those that searches still use. */
  readonly rebuilds: boolean;
  /** Reads for which model the columns are. */
  readonly state: BoundStatement<EmbeddingStateRow>;
  known(keys: readonly ItemKey[]): BoundStatement<KnownText>;
  write(rows: readonly NextVectorRow[]): BoundStatement<ItemKey>;
  drop(items: readonly ItemKey[], kept: readonly KeptVector[]): BoundStatement<ItemKey>;
  /** The name of the row of an item without texts, where it needs one. */
  readonly seen: string | undefined;
}

/** The columns that searches use. */
export function presentColumns({ schema }: StoreCall, { layout }: VectorSettings): ReembedTarget {
  return {
    rebuilds: false,
    state: embeddingState(schema),
    known: (keys) => vectorHashes(schema, keys),
    write: (rows) => writeVectors(schema, layout.type, rows),
    drop: (items, kept) => dropVectors(schema, items, kept),
    seen: undefined,
  };
}

/** New columns, which replace those that searches use when they are complete. */
export function nextColumns({ schema }: StoreCall, { layout }: VectorSettings): ReembedTarget {
  return {
    rebuilds: true,
    state: nextState(schema),
    known: (keys) => nextHashes(schema, keys),
    write: (rows) => writeNextVectors(schema, layout.type, rows),
    drop: (items, kept) => dropNextVectors(schema, items, kept),
    seen: SEEN,
  };
}
