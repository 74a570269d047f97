import { endOf, localDay, startOf } from './local-day.ts';

describe('a day where the person is', () => {
  it('begins and ends there, whatever the zone', () => {
    expect([startOf('2030-03-09'), endOf('2030-03-09')].map((at) => localDay(Date.parse(at)))).toEqual([
      '2030-03-09',
      '2030-03-09',
    ]);
    expect(Date.parse(endOf('2030-03-09')) + 1).toBe(Date.parse(startOf('2030-03-10')));
  });

  it.each(['', '20261-01-01', 'today'])('leaves an invalid day as it is: %j', (day) => {
    expect([startOf(day), endOf(day)]).toEqual([day, day]);
  });
});
