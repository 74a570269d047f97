const two = (value: number): string => String(value).padStart(2, '0');

/** The day where the person is, as a date field holds it. */
export const localDay = (at: number): string => {
  const time = new Date(at);
  return [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
};

/** The first and the last moment of that day where the person is. */
export const startOf = (day: string): string => moment(`${day}T00:00:00`, day);
export const endOf = (day: string): string => moment(`${day}T23:59:59.999`, day);

/** An invalid day, such as one in a five-digit year, is left as it is: the service reports the problem. */
function moment(text: string, day: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}
