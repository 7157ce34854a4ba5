#ifndef OX_SPARE_MEMORY_H
#define OX_SPARE_MEMORY_H

/*
 * What a change is worked out in is released at its end and wanted again for the next one, and each
 * page that the system took back meanwhile costs a fault to have again: a third of the processor
 * time of a change of 10,000 places. So a process that stays keeps what it releases, but for the
 * texts of very large files. And so does one that has several threads and soon ends: what is given
 * back by a piece at a time stops the other processors for each of them.
 */
void spare_memory_keep(void); /* from here on */
void spare_memory_trim(void); /* gives back what nothing is in */

#endif
