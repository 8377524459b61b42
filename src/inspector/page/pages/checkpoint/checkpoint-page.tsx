import { CheckpointActions } from "../../parts/actions/checkpoint-actions.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { Tabs } from "../../parts/tabs.js";
import { type Route } from "../../routes/route.js";
import { AddressedTree } from "../../parts/value-tree/value-tree.js";
import { useRead } from "../../server/use-read.js";
import { ChangesTab } from "./changes-tab.js";
import { ChannelsTab } from "./channels-tab.js";
import { CheckpointHead } from "./checkpoint-head.js";
import {
  type CheckpointRoute,
  checkpointRoute,
  shownTab,
  type TabName,
  TABS,
  type TabProps,
} from "./checkpoint-route.js";
import { ConversationTab } from "./conversation-tab.js";
import { WritesTab } from "./writes-tab.js";
import "./checkpoint.css";

/** A checkpoint: its conversation, channels, writes, metadata, and what has changed. */
export function CheckpointPage({ route }: { readonly route: Route }) {
  const known = checkpointRoute(route);
  return known === undefined ? <p>The address names no checkpoint.</p> : <KnownCheckpoint route={known} />;
}

function KnownCheckpoint({ route }: { readonly route: CheckpointRoute }) {
  const { data: view, error, refetch } = useRead("checkpoint", route.place);
  const failure = error !== null && <Failure error={error} onRetry={() => void refetch()} />;
  if (view === undefined) return failure || <Loading what="the checkpoint" />;
  const names = Object.keys(TABS) as TabName[];
  const tabs = names.filter((name) => name !== "conversation" || view.conversations.length > 0);
  const shown = shownTab(route.params, tabs);
  const Shown = PANELS[shown];
  return (
    <>
      {failure}
      <CheckpointHead view={view}>
        <CheckpointActions place={route.place} />
      </CheckpointHead>
      <Tabs
        label="Parts of the checkpoint"
        tabs={tabs.map((name) => ({ name, title: TABS[name], link: route.linkToTab(name) }))}
        shown={shown}
      >
        <Shown key={view.checkpointId} route={route} view={view} />
      </Tabs>
    </>
  );
}

function MetadataTab({ route: { place, params, linkToTab } }: TabProps) {
  return (
    <AddressedTree
      label="metadata"
      place={{ kind: "metadata", ...place }}
      path={params.get("path")}
      linkTo={(path) => linkToTab("metadata", { path })}
    />
  );
}

const PANELS = {
  conversation: ConversationTab,
  channels: ChannelsTab,
  writes: WritesTab,
  metadata: MetadataTab,
  changes: ChangesTab,
} as const;
