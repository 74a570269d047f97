import fc from 'fast-check';
import { fieldsOf } from './field.decorator';
import { PAGE_BYTES } from './page-bytes';
import { cursorOf, listMark, PageInput, pageOf } from './pagination';

const things = listMark('things', { owner: 'm1' });

describe('a page of a list', () => {
  const problemsOf = (field: 'limit' | 'cursor', value: unknown) => fieldsOf(PageInput)[field]?.check.problems(value);

  it('has fifty entries by default', () => {
    expect(pageOf({}, things)).toEqual({ limit: 50, bytes: PAGE_BYTES });
    expect(pageOf({ limit: '200' }, things)).toEqual({ limit: 200, bytes: PAGE_BYTES });
  });

  it.each(['1', '50', '200'])('takes limit %s', (limit) => expect(problemsOf('limit', limit)).toEqual([]));
  it.each(['0', '201', '-1', '1.0', '1e2', '0x10', ' 5', '', '05', 'ten'])('refuses limit %j', (limit) =>
    expect(problemsOf('limit', limit)).toHaveLength(1),
  );

  it('continues where the previous page ended', () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(null), fc.string(), fc.integer()),
        fc.string({ minLength: 1, maxLength: 160 }),
        (sort, id) => {
          const cursor = cursorOf({ sort, id }, things) ?? '';
          expect(problemsOf('cursor', cursor)).toEqual([]);
          expect(pageOf({ cursor }, things).after).toEqual({ sort, id });
        },
      ),
    ));
  it('ends with the last page', () => expect(cursorOf(null, things)).toBeNull());

  it.each<[string, object]>([
    ['others', { owner: 'm1' }],
    ['things', { owner: 'm2' }],
    ['things', {}],
  ])('does not continue where a page of another list ended (%s %j)', (what, by) => {
    const other = listMark(what, { ...by });
    const cursor = cursorOf({ sort: 'x', id: 'y' }, other) ?? '';
    expect(() => pageOf({ cursor }, things)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        issues: [expect.objectContaining({ code: 'malformed', field: 'cursor' })],
      }),
    );
  });
  it('makes no mark of the list for the only page', () => {
    const read = jest.fn(() => 'm1');
    const list = listMark('things', Object.defineProperty({}, 'owner', { get: read, enumerable: true }));
    expect([pageOf({}, list).limit, cursorOf(null, list)]).toEqual([50, null]);
    expect(read).not.toHaveBeenCalled();
    expect(pageOf({ cursor: cursorOf({ sort: 'x', id: 'y' }, list) ?? '' }, things).after).toEqual({
      sort: 'x',
      id: 'y',
    });
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('continues after a cursor from before they named their list', () => {
    const cursor = Buffer.from(JSON.stringify(['x', 'y'])).toString('base64url');
    expect(problemsOf('cursor', cursor)).toEqual([]);
    expect(pageOf({ cursor }, things).after).toEqual({ sort: 'x', id: 'y' });
  });

  it('refuses a foreign cursor', () =>
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        expect(problemsOf('cursor', cursor)).toHaveLength(1);
      }),
    ));
  it.each(['W10', 'WzEsMl0', 'bnVsbA', 'e30', 'WyJhIiwiYiIsImMiXQ', 'WyJhIiwiYiIsMTIzNDU2NzhdCg'])(
    'refuses the cursor %s',
    (cursor) => expect(problemsOf('cursor', cursor)).toHaveLength(1),
  );
});
