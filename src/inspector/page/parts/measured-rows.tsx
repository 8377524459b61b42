import type { Virtualizer } from "@tanstack/react-virtual";
import type { ComponentChildren, RefObject } from "preact";

interface MeasuredRowsProps {
  readonly virtual: Virtualizer<Window, Element> | Virtualizer<HTMLDivElement, Element>;
  readonly name: string;
  /** How many rows there are; -1 where that is not known. */
  readonly total: number;
  readonly list?: RefObject<HTMLOListElement>;
  /** Shows a row, by its position. */
  readonly children: (index: number) => ComponentChildren;
}

/** The rows of a long list that are near the screen. Each is as high as what it shows. */
export function MeasuredRows({ virtual, name, total, list, children }: MeasuredRowsProps) {
  return (
    <ol class={name} {...(list && { ref: list })} style={{ height: `${virtual.getTotalSize()}px` }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => (
        <li
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          aria-setsize={total}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
        >
          {children(index)}
        </li>
      ))}
    </ol>
  );
}
