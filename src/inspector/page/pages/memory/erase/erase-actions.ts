import { actionButton, type Closing } from "../../../parts/actions/action-dialog.js";
import { lazyPart } from "../../../parts/read-state.js";
import type { DeleteItemsProps } from "./delete-items-dialog.js";

/** Deletes a namespace with all below it. */
export const DeleteItemsAction = actionButton(
  "Delete namespace…",
  "delete",
  lazyPart<DeleteItemsProps & Closing>(
    "delete-items",
    "the dialog",
    async () => (await import("./delete-items-dialog.js")).DeleteItemsDialog,
  ),
);

/** Erases the threads and items of a person. */
export const ErasePersonAction = actionButton(
  "Erase a person…",
  "delete",
  lazyPart<Closing>(
    "erase-person",
    "the dialog",
    async () => (await import("./erase-person-dialog.js")).ErasePersonDialog,
  ),
);
