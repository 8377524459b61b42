import { inOneTransaction, runTransaction } from "../../db/statements/run-statement.js";
import { itemData } from "../codec/item-data.js";
import { decodeItemValue } from "../codec/item-value.js";
import { toNamespace } from "../codec/item-namespace-text.js";
import { refuseMismatch } from "../vectors/embedding-check.js";
import { embedTexts } from "../embeddings/embed-texts.js";
import { CHOSEN, itemTexts, pathsOfFields } from "../embeddings/item-texts.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";
import { idOf } from "../item-id.js";
import { itemVersions } from "../queries/item-versions.js";
import type { UnembeddedRow } from "../queries/select-unembedded.js";
import type { StoreCall } from "../store-call.js";
import { type EmbeddedItem, toRow, type WantedVector, wantedVectors } from "../vectors/wanted-vectors.js";
import type { ReembedTarget } from "./reembed-target.js";

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
  const [known = []] = await runTransaction(call, { statements: [target.known(items)] });
  const texts = new Set(known.map((row) => idOf(row, row.hash)));
  const places = new Set(known.map((row) => idOf(row, row.hash, row.field_name ?? "")));
  const isKnown = (row: WantedVector): boolean => row.hash !== null && texts.has(idOf(row, row.hash));
  const isInPlace = (row: WantedVector): boolean =>
    !target.rebuilds && row.hash !== null && places.has(idOf(row, row.hash, row.fieldName));
  const missing = wanted.flatMap((row) => (row.text === undefined || isKnown(row) ? [] : [row.text]));
  const embedded = await embedTexts(vectors, missing, call.signal);
  await inOneTransaction(call, async (within) => {
    const { execute } = within.database;
    const [state] = await execute(target.state);
    refuseMismatch(call, vectors, state);
    const versions = await execute(itemVersions(call.schema, items));
    const unchanged = new Set(versions.map((row) => idOf(row, row.version)));
    const isUnchanged = (row: VersionedItem | VersionedVector): boolean =>
      unchanged.has(idOf(row, String(row.version)));
    const kept = wanted.filter(isUnchanged);
    const written = kept.filter((row) => !isInPlace(row));
    if (written.length > 0) {
      await execute(
        target.write(
          written.map((row) => ({ ...toRow(vectors, row, isKnown(row), embedded), version: row.version })),
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
    texts: paths === false ? [] : itemTexts(data, paths),
  };
}

function namesOf(json: string | null): string[] {
  const names: unknown = JSON.parse(json ?? "[]");
  return Array.isArray(names) ? names.map(String) : [];
}
