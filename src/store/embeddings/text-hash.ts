import { createHash } from "node:crypto";

/** What makes the vector of a text, beside the text. */
export interface EmbeddingModel {
  /** The name of the model. */
  readonly model: string;
  readonly dims: number;
}

/** Identifies the vector of a text in hexadecimal digits: an equal hash means an equal text, model and number of dimensions. */
export function textHash({ model, dims }: EmbeddingModel, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([model, dims, text]))
    .digest("hex");
}
