import { pathFromText, pathToText } from "../../parts/value-tree/path-text.js";
import { ValueTree } from "../../parts/value-tree/value-tree.js";
import { replaceRoute } from "../../routes/use-route.js";
import { linkToMemory, type MemoryView } from "./memory-links.js";
import { Crumbs } from "./namespace-links.js";

interface ItemViewProps {
  readonly view: MemoryView;
  readonly item: NonNullable<MemoryView["item"]>;
  /** The chosen part of the value, as the address has it. */
  readonly path: string | null;
}

/** An item with its value. */
export function ItemView({ view, item, path }: ItemViewProps) {
  const { namespace, key } = item;
  const label = key === "" ? "(empty key)" : key;
  return (
    <div class="memory">
      <h1>
        <bdi>{label}</bdi>
      </h1>
      <Crumbs view={{ prefix: namespace, item }} />
      <p>
        <a href={linkToMemory({ ...view, item: undefined })}>Back to the list</a>
      </p>
      <ValueTree
        place={{ kind: "item", namespace, key }}
        label={label}
        path={path === null ? undefined : pathFromText(path)}
        onPath={(chosen) => {
          replaceRoute(linkToMemory(view, { path: pathToText(chosen) }));
        }}
      />
    </div>
  );
}
