import { derivedChangesetStoreContract } from "./derived-changeset-store.contract.ts";
import { memoryDerivedChangesetStore } from "./memory-derived-changeset-store.ts";

derivedChangesetStoreContract("memory", async () => memoryDerivedChangesetStore());
