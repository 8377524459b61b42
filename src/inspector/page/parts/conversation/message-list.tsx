import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "preact/hooks";
import { Message } from "./message.js";
import type { ShownConversation } from "./use-message.js";
import "./conversation.css";

interface MessageListProps {
  readonly conversation: ShownConversation;
  readonly total: number;
  readonly isNewestFirst: boolean;
  /** The position of the message that the address names. */
  readonly position: number | undefined;
}

/** What is fixed at the top of the window. */
const COVERED_PX = 64;

/** The messages as a list, of which only those near the window exist. */
export function MessageList({ conversation, total, isNewestFirst, position }: MessageListProps) {
  const list = useRef<HTMLOListElement>(null);
  const positionAt = (index: number): number => (isNewestFirst ? total - 1 - index : index);
  const virtual = useWindowVirtualizer({
    count: total,
    estimateSize: () => 96,
    overscan: 4,
    scrollMargin: list.current?.offsetTop ?? 0,
    scrollPaddingStart: COVERED_PX,
    getItemKey: positionAt,
  });
  useEffect(() => {
    if (position !== undefined && position < total)
      virtual.scrollToIndex(positionAt(position), { align: "start" });
  }, [position]);
  const { scrollMargin } = virtual.options;
  return (
    <>
      <h2 class="sr-only">Messages</h2>
      <ol class="messages" ref={list} style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            <Message
              conversation={conversation}
              position={positionAt(index)}
              isChosen={positionAt(index) === position}
            />
          </li>
        ))}
      </ol>
    </>
  );
}
