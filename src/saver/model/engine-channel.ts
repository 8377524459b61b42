/** The prefixes of channels that engines create themselves, and empty again when their node has run. */
export const ENGINE_CHANNEL = /^(__|branch:|join:|start:)/;

/** Whether LangGraph itself creates a channel and empties it, whatever the state of a graph is. */
export function isEngineChannel(channel: string): boolean {
  return ENGINE_CHANNEL.test(channel);
}
