import type { ItemFacts, ItemPlace } from "../../../api/memory.js";
import { ConfirmAction } from "../../parts/actions/action-dialog.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { Time } from "../../parts/time.js";
import { AddressedTree } from "../../parts/value-tree/value-tree.js";
import { navigate } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { EditItemAction } from "./item-actions.js";
import { linkToMemory, type MemoryView, Crumbs } from "./memory-links.js";

interface ItemViewProps {
  readonly view: MemoryView;
  readonly item: ItemPlace;
  /** The chosen part of the value, as the address has it. */
  readonly path: string | null;
}

/** An item with its value. */
export function ItemView({ view, item, path }: ItemViewProps) {
  const { namespace, key } = item;
  const label = key === "" ? "(empty key)" : key;
  const list = linkToMemory({ ...view, item: undefined });
  const { data: facts, error, refetch } = useRead("item", { namespace, key });
  return (
    <div class="memory">
      <div class="memory-head">
        <h1>
          <bdi>{label}</bdi>
        </h1>
        <div class="memory-actions">
          <EditItemAction item={{ namespace, key }} />
          <ConfirmAction
            label="Delete…"
            title="Delete this item"
            sentence={
              <>
                The item <bdi class="mono">{label}</bdi> of <bdi class="mono">{namespace.join(" / ")}</bdi> is
                deleted for good, with its embeddings; all other items stay.
              </>
            }
            submit="Delete for good"
            call="deleteItem"
            args={{ namespace, key }}
            onDone={() => {
              navigate(list);
            }}
          />
        </div>
      </div>
      <Crumbs view={{ prefix: namespace, item }} />
      <p>
        <a href={list}>Back to the list</a>
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && facts === undefined && <Loading what="the item" />}
      {facts !== undefined && <Facts facts={facts} />}
      {facts !== undefined && (
        <AddressedTree
          // What the tree has read is of one version.
          key={facts.version}
          place={{ kind: "item", namespace, key }}
          label={label}
          path={path}
          linkTo={(chosen) => linkToMemory(view, { path: chosen })}
        />
      )}
    </div>
  );
}

function Facts({ facts: { version, createdAt, updatedAt, expiresAt } }: { readonly facts: ItemFacts }) {
  return (
    <p class="dim">
      Version {version}, created <Time at={createdAt} />, stored <Time at={updatedAt} />,{" "}
      {expiresAt === undefined ? (
        "lives for ever"
      ) : (
        <>
          expires <Time at={expiresAt} />
        </>
      )}
    </p>
  );
}
