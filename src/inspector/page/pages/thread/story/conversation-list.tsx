import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Message } from "../../../parts/conversation/message.js";
import type { ShownConversation } from "../../../parts/conversation/use-message.js";

interface ConversationListProps {
  readonly conversation: ShownConversation;
  readonly total: number;
  /** The positions of the messages that the selected step has added. */
  readonly chosen: readonly number[];
}

/** The messages in a pane of its own, so that the steps stay beside them. It begins at the newest one. */
export function ConversationList({ conversation, total, chosen }: ConversationListProps) {
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
      <ol class="story-rows story-list" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            <Message conversation={conversation} position={index} isChosen={chosen.includes(index)} />
          </li>
        ))}
      </ol>
    </div>
  );
}
