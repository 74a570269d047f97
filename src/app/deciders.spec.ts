import { type Category, CATEGORIES } from '../kernel/aggregates';
import { DECIDERS } from './deciders';

describe('the registry of aggregates', () => {
  it.each(CATEGORIES)('has the deciders of %s under the category they write to', (category: Category) => {
    expect(DECIDERS[category].map((decider) => decider.category)).toEqual(DECIDERS[category].map(() => category));
  });
});
