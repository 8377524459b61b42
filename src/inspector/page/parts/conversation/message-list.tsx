import { MeasuredRows } from "../measured-rows.js";
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
  return (
    <>
      <h2 class="sr-only">Messages</h2>
      <MeasuredRows {...{ virtual, total, list }} name="messages">
        {(index) => (
          <Message
            conversation={conversation}
            position={positionAt(index)}
            isChosen={positionAt(index) === position}
          />
        )}
      </MeasuredRows>
    </>
  );
}
