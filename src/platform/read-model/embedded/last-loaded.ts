import { type Collection, type Document } from '../projection';
import { type Stored } from '../read-model.port';

/** Caches what the last load returned until the next write, so that the writes that follow need not read it again. */
export class LastLoaded {
  private documents = new Map<string, Stored>();

  keep(collection: Collection<Document>, id: string, stored: Stored): void {
    this.documents.set(nameOf(collection, id), stored);
  }

  /** Only once: a second write to the document in the same batch must find what the first one wrote. */
  take(collection: Collection<Document>, id: string): Stored | undefined {
    const name = nameOf(collection, id);
    const stored = this.documents.get(name);
    this.documents.delete(name);
    return stored;
  }

  forget(): void {
    this.documents = new Map();
  }
}

const nameOf = ({ name }: Collection<Document>, id: string): string => `${name}\0${id}`;
