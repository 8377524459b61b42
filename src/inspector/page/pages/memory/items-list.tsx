import { useGrowth, usePages } from "../../server/use-pages.js";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "preact/hooks";
import type { ListedItem, ItemsQuery } from "../../../api/memory.js";
import { Failure } from "../../parts/read-state.js";
import { FirstSteps } from "../../parts/first-steps.js";
import { Loading } from "../../parts/read-state.js";
import { moveAmongRows } from "../../shell/keys/page-keys.js";
import { countText } from "../../parts/number-texts.js";
import { useMedia } from "../../parts/use-media.js";
import { Time } from "../../parts/time.js";
import { read } from "../../server/call-server.js";
import { useOverview } from "../../server/overview-context.js";
import { linkToMemory, type MemoryView } from "./memory-links.js";

const PAGE_SIZE = 50;
const OVERSCAN = 10;

/** The items of a namespace, of which only the rows near the window exist. */
export function ItemsList({ view, query }: { readonly view: MemoryView; readonly query: ItemsQuery }) {
  const list = useRef<HTMLUListElement>(null);
  const rowHeight = useMedia("(max-width: 48rem)") ? 92 : 64;
  const { pages, ...growing } = usePages(["items", query], PAGE_SIZE, (page, signal) =>
    read("items", { ...query, ...page }, signal),
  );
  const { error, hasMore, retry } = growing;
  const items = pages?.flatMap((page) => page.items) ?? [];
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  useEffect(() => {
    virtual.measure();
  }, [rowHeight]);
  const rows = virtual.getVirtualItems();
  const isNearEnd = (rows.at(-1)?.index ?? 0) + OVERSCAN >= items.length;
  useGrowth(growing, isNearEnd, items.length);
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (pages === undefined) return <Loading what="the items" />;
  const isWhole = query.prefix.length === 0 && query.query === undefined && query.filter === undefined;
  if (items.length === 0 && isWhole) return <NoItems />;
  return (
    <>
      <p role="status" class="dim">
        {items.length === 0
          ? "No items found."
          : `${countText(items.length, "item")}${hasMore ? " so far" : ""}`}
      </p>
      <ul
        class="items"
        data-list
        ref={list}
        aria-label="Items"
        onKeyDown={moveAmongRows}
        style={{ height: `${virtual.getTotalSize()}px` }}
      >
        {rows.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const style = {
            transform: `translateY(${start - virtual.options.scrollMargin}px)`,
            height: `${rowHeight}px`,
          };
          return (
            <Item
              key={index}
              {...{ item, view, style }}
              position={index + 1}
              total={hasMore ? -1 : items.length}
            />
          );
        })}
      </ul>
    </>
  );
}

const SAMPLE = `await store.put(["users", "7"], "profile", { name: "Ada" });`;

/** Says how to get the first item. */
function NoItems() {
  const { schema, tenantId } = useOverview();
  return (
    <FirstSteps docs="store.md" sample={SAMPLE}>
      <p>There are no items yet.</p>
      <p class="dim">
        An item appears here when a graph or the application stores it in the schema <bdi>{schema}</bdi>
        {tenantId !== undefined && (
          <>
            {" "}
            in a namespace that begins with the tenant <bdi>{tenantId}</bdi>
          </>
        )}
        :
      </p>
    </FirstSteps>
  );
}

interface ItemProps {
  readonly item: ListedItem;
  readonly view: MemoryView;
  readonly style: { readonly transform: string; readonly height: string };
  readonly position: number;
  /** -1 where it is not known. */
  readonly total: number;
}

function Item({ item, view, style, position, total }: ItemProps) {
  const { namespace, key, score, updatedAt, expiresAt, value } = item;
  const below = namespace.slice(view.prefix.length);
  return (
    <li class="item" aria-posinset={position} aria-setsize={total} style={style}>
      <span class="item-line">
        <a href={linkToMemory({ ...view, item: { namespace, key } })}>
          <bdi>{key === "" ? "(empty key)" : key}</bdi>
        </a>
        {below.length > 0 && (
          <span>
            <span class="dim">in</span> <bdi>{below.join(" / ")}</bdi>
          </span>
        )}
        {score !== undefined && <span class="item-score">score {score.toFixed(3)}</span>}
        <span class="dim item-time">
          <Time at={updatedAt} />
          {expiresAt !== undefined && (
            <>
              , expires <Time at={expiresAt} />
            </>
          )}
        </span>
      </span>
      <span class={`mono item-value${value.type === "error" ? " item-error" : ""}`}>
        <bdi>{value.text}</bdi>
      </span>
    </li>
  );
}
