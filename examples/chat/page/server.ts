import { Client } from "@langchain/langgraph-sdk";
import { useCallback, useEffect, useState } from "react";

/** The client of the routes that the server of LangGraph has. */
export const client = new Client({ apiUrl: `${location.origin}/api` });

/** What the assistant knows about its user. */
export interface Memory {
  readonly key: string;
  readonly fact: string;
}

/** What a conversation is called until its first message has been read. */
export const UNTITLED = "New conversation";

/** An entry of the list. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
}

/** The conversations, the latest one first. */
export async function readConversations(): Promise<Conversation[]> {
  const found = await client.threads.search({ sortBy: "updated_at", sortOrder: "desc", limit: 100 });
  return found.map(({ thread_id: id, metadata }) => ({
    id,
    title: typeof metadata?.title === "string" ? metadata.title : UNTITLED,
  }));
}

/** Deletes a conversation with all of its checkpoints. */
export function deleteConversation(id: string): Promise<void> {
  return client.threads.delete(id);
}

export async function readMemories(): Promise<Memory[]> {
  return (await answerOf("/memories")).json() as Promise<Memory[]>;
}

export async function forget({ key }: Memory): Promise<void> {
  await answerOf(`/memories/${encodeURIComponent(key)}`, { method: "DELETE" });
}

async function answerOf(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

/** What a function reads, and a function that reads it again. After a failure what was read before stays. */
export function useRead<Value>(
  read: () => Promise<Value>,
  first: Value,
): [value: Value, refresh: () => void] {
  const [value, setValue] = useState(first);
  const refresh = useCallback(() => {
    read().then(setValue, console.error);
  }, [read]);
  useEffect(refresh, [refresh]);
  return [value, refresh];
}

/** What stands behind the `#` of the address, and a function that changes it. */
export function useHash(): [hash: string, go: (hash: string) => void] {
  const [hash, setHash] = useState(location.hash.slice(1));
  useEffect(() => {
    const follow = (): void => {
      setHash(location.hash.slice(1));
    };
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
    };
  }, []);
  const go = useCallback((next: string) => {
    location.hash = next;
    setHash(next);
  }, []);
  return [hash, go];
}
