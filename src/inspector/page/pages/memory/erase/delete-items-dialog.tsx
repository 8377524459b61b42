import { useState } from "preact/hooks";
import { type Closing, FormDialog, useChange } from "../../../parts/actions/action-dialog.js";
import { TextField } from "../../../parts/actions/fields.js";
import { countText } from "../../../parts/number-texts.js";
import { Loading } from "../../../parts/read-state.js";
import { navigate } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { linkToMemory } from "../memory-links.js";
import { ItemSumsList, NamespaceName } from "./item-sums-list.js";
import "./erase.css";

export interface DeleteItemsProps {
  readonly namespace: readonly string[];
}

/** Deletes a namespace with all below it, after it has shown what that is. */
export function DeleteItemsDialog({ namespace, onClose }: DeleteItemsProps & Closing) {
  const [typedCount, setTypedCount] = useState("");
  const sums = useRead("itemSums", { prefix: namespace });
  const change = useChange("deleteItems", () => {
    navigate(linkToMemory({ prefix: namespace.slice(0, -1) }));
  });
  const { data } = sums;
  const items = data?.items ?? 0;
  return (
    <FormDialog
      title="Delete this namespace"
      sentence={
        <>
          All items of <NamespaceName namespace={namespace} /> and of the namespaces below it are deleted for
          good, with their embeddings, also those that have expired. All other items, and all threads, stay.
        </>
      }
      submit={items === 0 ? "Delete for good" : `Delete ${countText(items, "item")} for good`}
      isReady={items > 0 && typedCount.trim() === String(items)}
      sending={[change, { isPending: sums.isFetching, error: sums.error }]}
      onSubmit={(close) => {
        change.mutate(
          { namespace, items },
          {
            onSuccess: close,
            // Somebody has stored or deleted items meanwhile: the person sees what there is now.
            onError: () => void sums.refetch(),
          },
        );
      }}
      onClose={onClose}
    >
      {data === undefined && sums.error === null && <Loading what="what there is" />}
      {data !== undefined && items === 0 && <p role="status">It has no items.</p>}
      {data !== undefined && items > 0 && (
        <>
          <ItemSumsList {...data} />
          <TextField
            label={`Type the number of items, ${items}`}
            value={typedCount}
            onChange={setTypedCount}
          />
        </>
      )}
    </FormDialog>
  );
}
