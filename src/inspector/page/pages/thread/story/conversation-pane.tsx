import { MeasuredRows } from "../../../parts/measured-rows.js";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { CheckpointPlace } from "../../../../api/places.js";
import type { StoryStep } from "../../../../api/story.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { countText, formatCount } from "../../../parts/number-texts.js";
import { stepName } from "../../../parts/words.js";
import { linkToCheckpoint, linkToThread } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { MESSAGES_AT_ONCE, type ShownConversation } from "../../../parts/conversation/use-message.js";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Message } from "../../../parts/conversation/message.js";
import "../../../parts/conversation/conversation.css";

interface ConversationPaneProps {
  /** The end of the branch, whose conversation has the messages of all its steps. */
  readonly tip: CheckpointPlace;
  readonly channel: string;
  readonly step: StoryStep;
  /** The steps that have added the messages, as far as they are loaded. */
  readonly steps: readonly StoryStep[];
  /** The messages of a later step. */
  readonly later: StoryStep | undefined;
}

/** A conversation whose pages are there. */
interface Shown {
  readonly place: CheckpointPlace;
  readonly total: number;
}

/** The conversation, in which the messages that a step has added are marked. */
export function ConversationPane({ tip, channel, step, steps, later }: ConversationPaneProps) {
  const { shown, error, retry } = useLoaded(tip, channel);
  const { messages = [], messageCount = 0 } = step.ran ?? {};
  const stepByMessage = useMemo(() => stepsByMessage(steps), [steps]);
  const followedBy = later?.ran?.messages[0];
  const found = useRead(
    "findMessages",
    { ...(shown?.place ?? tip), channel, messages, followedBy },
    { enabled: messages.length > 0 },
  );
  if (error !== null && shown === undefined) return <Failure error={error} onRetry={retry} />;
  if (shown === undefined) return <Loading what="the conversation" />;
  const { positions = [] } = found.data ?? {};
  const chosen = positions.filter((position) => position !== null);
  const lost = positions.length - chosen.length;
  return (
    <>
      <p class="story-added dim" role="status">
        {countText(shown.total, "message")}. {addedText(step, messageCount)}
        {lost > 0 &&
          ` ${formatCount(lost)} of them ${lost === 1 ? "is" : "are"} not in this conversation any more.`}
      </p>
      {found.error !== null && <Failure error={found.error} />}
      <ConversationList
        conversation={{
          ...{ place: shown.place, channel, foldsOpenCalls: true },
          linkTo: (path) => linkToCheckpoint(shown.place, { tab: "conversation", channel, path }),
          stepOf: ({ id, toolCallId }) => {
            const added = stepByMessage.get(id ?? "") ?? stepByMessage.get(toolCallId ?? "");
            return added && { name: stepName(added), link: linkToThread(tip, { at: added.checkpointId }) };
          },
        }}
        total={shown.total}
        chosen={chosen.toSorted((a, b) => a - b)}
      />
    </>
  );
}

/** Steps by the ids of the messages that they have added, and of the calls that these answer. */
function stepsByMessage(steps: readonly StoryStep[]): ReadonlyMap<string, StoryStep> {
  return new Map(
    steps.flatMap((step) =>
      (step.ran?.messages ?? []).flatMap(({ id, toolCallId }) => {
        const key = id ?? toolCallId;
        return key === undefined ? [] : [[key, step] as const];
      }),
    ),
  );
}

function addedText({ step, source, ran }: StoryStep, count: number): string {
  const name = source === "input" ? "The input" : step === undefined ? "The step" : `Step ${step}`;
  if (ran?.isPartial === true && count === 0) return `What ${name.toLowerCase()} added could not be read.`;
  return count === 0 ? `${name} added none.` : `${name} added ${countText(count, "message")}.`;
}

/** Returns the conversation of a checkpoint, or an earlier one until it can be shown. */
function useLoaded(
  { threadId, namespace, checkpointId }: CheckpointPlace,
  channel: string,
): { readonly shown: Shown | undefined; readonly error: Error | null; readonly retry: () => void } {
  const place = { threadId, namespace, checkpointId };
  const first = useRead("conversation", { ...place, channel, offset: 0, limit: MESSAGES_AT_ONCE });
  const total = first.data?.total ?? 0;
  const offset = Math.floor(Math.max(0, total - 1) / MESSAGES_AT_ONCE) * MESSAGES_AT_ONCE;
  const last = useRead(
    "conversation",
    { ...place, channel, offset, limit: MESSAGES_AT_ONCE },
    { enabled: first.data !== undefined },
  );
  const shown = useRef<Shown>();
  const key = useRef("");
  if (key.current !== channel) [key.current, shown.current] = [channel, undefined];
  if (
    first.data !== undefined &&
    last.data !== undefined &&
    shown.current?.place.checkpointId !== checkpointId
  )
    shown.current = { place, total };
  return { shown: shown.current, error: first.error ?? last.error, retry: () => void first.refetch() };
}

interface ConversationListProps {
  readonly conversation: ShownConversation;
  readonly total: number;
  /** The positions of the messages that the selected step has added. */
  readonly chosen: readonly number[];
}

/** The messages in a pane of its own, so that the steps stay beside them. It begins at the newest one. */
function ConversationList({ conversation, total, chosen }: ConversationListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    overscan: 4,
    initialOffset: Number.MAX_SAFE_INTEGER,
  });
  const [first] = chosen;
  useLayoutEffect(() => {
    virtual.scrollToIndex(total - 1, { align: "end" });
  }, []);
  useEffect(() => {
    if (first !== undefined && first < total) virtual.scrollToIndex(first, { align: "start" });
  }, [first, total]);
  return (
    <div class="story-messages" ref={scroller} role="region" aria-label="Conversation" tabIndex={0}>
      <MeasuredRows {...{ virtual, total }} name="story-rows story-list">
        {(index) => (
          <Message conversation={conversation} position={index} isChosen={chosen.includes(index)} />
        )}
      </MeasuredRows>
    </div>
  );
}
