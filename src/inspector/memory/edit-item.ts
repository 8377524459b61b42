import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { InvalidConfigError } from "../../errors/index.js";
import { VersionConflictError } from "../../errors/store-errors.js";
import { parseItemNamespace } from "../../store/boundary/parse-namespace.js";
import { itemText } from "../../store/item-codec.js";
import { CHOSEN, pathsOfFields } from "../../store/embeddings/item-texts.js";
import { openedStoreOf } from "../../store/item-store.js";
import type { StoreSettings } from "../../store/store-call.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { EditableItem, ItemEdit, ItemPlace, NewItem } from "../api/memory.js";
import type { EditableValue } from "../api/changes.js";
import type { CallRun } from "../calls/call-definition.js";
import type { InspectorContext } from "../inspector-context.js";
import {
  getItemState,
  getVectorNames,
  hasSealedItems,
  type ItemState,
  isStoredAs,
} from "../queries/item-state.js";
import { editableItemJson } from "../values/editable-json.js";
import { type ReadingStore, storeOf, writingStoreOf } from "./item-stores.js";

/** An item as a person may edit it, and what an edit has to keep. */
interface ExaminedItem extends Omit<EditableItem, "version"> {
  readonly state: ItemState;
  /** The paths of the texts to embed, where the application has chosen them for this item. */
  readonly index?: false | readonly string[];
}

/** The settings of the store that writes. */
function writingSettings(context: InspectorContext): StoreSettings {
  return openedStoreOf(writingStoreOf(context)).call.settings;
}

/** Returns the value of an item as JSON, or why it can't be edited here. Returns `undefined` where there is no such item. */
export async function editableItem(run: CallRun, place: ItemPlace): Promise<EditableItem | undefined> {
  const found = await examine(run, place);
  if (found === undefined) return undefined;
  const { state, json, problem } = found;
  return {
    version: state.version,
    ...(json !== undefined && { json }),
    ...(problem !== undefined && { problem }),
  };
}

/**
 * Replaces the value of an item. Its time to live stays, and starts again, as with each put.
 *
 * @throws VersionConflictError where someone else has changed the item since it was read.
 * @throws InvalidConfigError where the edit would lose something.
 */
export async function editItem(run: CallRun, { value, version, ...place }: ItemEdit): Promise<void> {
  const { context, signal } = run;
  const found = await examine(run, place);
  const currentVersion = found?.state.version ?? 0;
  if (found === undefined || currentVersion !== version) {
    throw new VersionConflictError({ ...place, expectedVersion: version, currentVersion });
  }
  if (found.problem !== undefined) throw new InvalidConfigError("args.key", found.problem);
  await writingStoreOf(context).put([...place.namespace], place.key, { ...value }, found.index, {
    ...{ ttl: found.state.ttlMinutes ?? null, ifVersion: version, signal },
  });
}

/**
 * Stores an item that is not there yet.
 *
 * @throws VersionConflictError where there is such an item.
 * @throws InvalidConfigError where it would lie beside encrypted items in clear text.
 */
export async function createItem(run: CallRun, { value, ttlMinutes, ...place }: NewItem): Promise<void> {
  const { context, signal } = run;
  const store = await storeOf(context, signal);
  if (await wantsSealing(context, store, place, signal))
    throw new InvalidConfigError("args.namespace", SEALED_ITEMS);
  await writingStoreOf(context).put([...place.namespace], place.key, { ...value }, undefined, {
    ...{ ifVersion: 0, signal },
    ...(ttlMinutes !== undefined && { ttl: ttlMinutes }),
  });
}

/** Deletes an item. One that does not exist is no error. */
export async function deleteItem({ context, signal }: CallRun, { namespace, key }: ItemPlace): Promise<void> {
  await storeOf(context, signal);
  await writingStoreOf(context).delete([...namespace], key, { signal });
}

const OWN_STORE =
  "Pass the store of the application as `store` to `createInspector`, or edit the item in the application.";
const SEALED_ITEM = `The value is encrypted or compressed, and the inspector would store it as plain JSON. ${OWN_STORE}`;
const SEALED_ITEMS = `Items are encrypted or compressed here, and the inspector would store plain JSON. ${OWN_STORE}`;
const EMBEDDED = `The item has embeddings, which would not fit the new value: the inspector has no model to make others. ${OWN_STORE}`;
const INEXACT =
  "The stored value is not what would be stored again: it has a number with more digits than JavaScript keeps, for example.";

async function examine({ context, signal }: CallRun, place: ItemPlace): Promise<ExaminedItem | undefined> {
  const store = await storeOf(context, signal);
  const call = store.callWith(signal);
  const row = { prefix: store.prefixOf(place.namespace), key: place.key };
  const state = await getItemState(call, row);
  if (state === undefined) return undefined;
  const refused = problemOf(place.namespace);
  if (refused !== undefined) return { state, problem: refused };
  const { sealing, vectors } = writingSettings(context);
  if (state.isSealed && sealing === undefined) return { state, problem: SEALED_ITEM };
  const names = await getVectorNames(call, row);
  if (names.length > 0 && vectors === undefined) return { state, problem: EMBEDDED };
  const value = (await store.get([...place.namespace], place.key, { signal }))?.value;
  const editable = value instanceof Error ? unreadable(value) : editableItemJson(value);
  if (editable.json === undefined) return { state, ...editable };
  if (!state.isSealed && !(await isStoredAs(call, row, itemText(value, "value"))))
    return { state, problem: INEXACT };
  const index = names.includes(CHOSEN) ? chosenPaths(value, names) : undefined;
  return { state, ...editable, ...(index !== undefined && { index }) };
}

/** Why the store would not take an item here, which another program has stored. */
function problemOf(namespace: readonly string[]): string | undefined {
  try {
    parseItemNamespace([...namespace]);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidNamespaceError) return `The store takes no such item: ${error.message}`;
    throw error;
  }
}

function unreadable({ message }: Error): EditableValue {
  return { problem: `The value can't be read: ${message}` };
}

/** The paths that a put has chosen, as far as the names of the vectors tell. */
function chosenPaths(value: unknown, names: readonly string[]): false | readonly string[] {
  const paths = pathsOfFields(value, names);
  return paths.length === 0 ? false : paths;
}

/** Whether the application encrypts or compresses items, and the store that writes does not. */
async function wantsSealing(
  context: InspectorContext,
  store: ReadingStore,
  { namespace }: ItemPlace,
  signal: AbortSignal,
): Promise<boolean> {
  if (writingSettings(context).sealing !== undefined) return false;
  const { refusesPlaintext }: ContextualSerializer = context.saver.serde;
  // Who passes a store has chosen how it stores.
  if (context.store === undefined && refusesPlaintext === true) return true;
  return hasSealedItems(store.callWith(signal), store.prefixOf(namespace));
}
