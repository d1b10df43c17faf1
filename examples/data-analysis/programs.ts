/** Owns the Python that the recorded model writes. The first program falls over the gaps in the data, as first programs do. */
import { DATA_NAME, FIRST_YEAR, LAST_YEAR, PICTURE_NAME } from './task.ts'

export const LOOK = `import csv

with open('${DATA_NAME}', newline='') as file:
    rows = list(csv.DictReader(file))
dates = sorted(row['date'] for row in rows)
print(len(rows), 'rows from', dates[0], 'to', dates[-1])
for column in rows[0]:
    empty = sum(row[column] == '' for row in rows)
    if empty:
        print('empty:', column, empty)
speeds = [float(row['speed_knots']) for row in rows]
print('mean speed', round(sum(speeds) / len(speeds), 1))
`

export const ANALYSE = `import csv
from collections import Counter, defaultdict

import matplotlib.pyplot as plt
import numpy as np

with open('${DATA_NAME}', newline='') as file:
    rows = list(csv.DictReader(file))

YEARS = range(${FIRST_YEAR}, ${LAST_YEAR + 1})
MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
whole = [row for row in rows if int(row['date'][:4]) in YEARS]
print('left out:', len(rows) - len(whole), 'rows after', YEARS[-1])

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout='constrained')
for airport, color in zip(['Sacramento', 'Portland', 'Salt Lake City'], ['#0072b2', '#d55e00', '#009e73']):
    own = [row for row in whole if row['airport'] == airport]
    by_year = Counter(int(row['date'][:4]) for row in own)
    counts = [by_year[year] for year in YEARS]
    slope, start = np.polyfit(np.array(YEARS) - YEARS[0], counts, 1)
    by_month = Counter(int(row['date'][5:7]) for row in own)
    most = max(by_month, key=by_month.get)
    print(f'{airport}: {len(own)} strikes, {np.mean(counts):.1f} a year, trend {slope:+.2f} a year, '
          f'most in {MONTHS[most - 1]} ({by_month[most]})')
    left.plot(YEARS, counts, 'o', color=color, label=f'{airport} ({slope:+.1f} a year)')
    left.plot(YEARS, start + slope * (np.array(YEARS) - YEARS[0]), color=color)
    right.plot(MONTHS, [by_month[month] for month in range(1, 13)], color=color, label=airport)

speeds = defaultdict(list)
for row in rows:
    if row['speed_knots']:
        speeds[row['phase']].append(float(row['speed_knots']))
print('speed known:', sum(map(len, speeds.values())), 'of', len(rows))
for phase, known in sorted(speeds.items(), key=lambda item: -np.mean(item[1])):
    print(f'{phase}: mean {np.mean(known):.1f} knots of {len(known)}')

left.set(title='Reported strikes each year', ylabel='strikes', ylim=(0, None))
right.set(title=f'By month, {YEARS[0]} to {YEARS[-1]}', ylim=(0, None))
for axes in (left, right):
    axes.legend(frameon=False)
    axes.spines[['top', 'right']].set_visible(False)
figure.savefig('${PICTURE_NAME}', dpi=110)
`
