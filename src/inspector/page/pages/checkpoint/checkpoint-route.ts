import type { CheckpointPlace } from "../../../api/places.js";
import { linkToCheckpoint, type Route, type RouteParams } from "../../routes/route.js";
import type { CheckpointView } from "../../../api/checkpoints.js";

/** The tabs of the page, in their order. */
export const TABS = {
  conversation: "Conversation",
  channels: "Channels",
  writes: "Writes",
  metadata: "Metadata",
  changes: "Changes",
} as const;

/** The name of a tab. */
export type TabName = keyof typeof TABS;

/** What the address says about the page. */
export interface CheckpointRoute {
  readonly place: CheckpointPlace;
  readonly params: URLSearchParams;
  /** Returns the link to a tab of the checkpoint. */
  readonly linkToTab: (tab: TabName, params?: RouteParams) => string;
}

/** Reads the route of the page. Returns `undefined` for an address that names no checkpoint. */
export function checkpointRoute({ subjects, params }: Route): CheckpointRoute | undefined {
  const [threadId = "", checkpointId = ""] = subjects;
  if (threadId === "" || checkpointId === "") return undefined;
  const place = { threadId, namespace: params.get("ns") ?? "", checkpointId };
  return { place, params, linkToTab: (tab, more = {}) => linkToCheckpoint(place, { tab, ...more }) };
}

/** Returns the tab of the address, or the first one. */
export function shownTab(params: URLSearchParams, tabs: readonly TabName[]): TabName {
  return tabs.find((tab) => tab === params.get("tab")) ?? tabs[0] ?? "channels";
}

/** A checkpoint as a parameter of the address: `thread/namespace/checkpoint`. */
export function placeToText({ threadId, namespace, checkpointId }: CheckpointPlace): string {
  return [threadId, namespace, checkpointId].map(encodeURIComponent).join("/");
}

/** Reads a checkpoint of the address. */
export function placeFromText(text: string | null): CheckpointPlace | undefined {
  const parts = text?.split("/") ?? [];
  if (parts.length !== 3) return undefined;
  try {
    const [threadId = "", namespace = "", checkpointId = ""] = parts.map(decodeURIComponent);
    return threadId === "" || checkpointId === "" ? undefined : { threadId, namespace, checkpointId };
  } catch {
    // A person may have changed the address by hand.
    return undefined;
  }
}

/** What a tab of the page shows. */
export interface TabProps {
  readonly route: CheckpointRoute;
  readonly view: CheckpointView;
}
