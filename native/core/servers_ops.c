#include "servers_ops.h"

#include "oxide.h"

const char *servers_root_over(struct oxide *ox, const char *path)
{
	return ox->servers ? ox->servers->root_over(ox, path) : NULL;
}

bool servers_show(struct oxide *ox, const struct doc *d)
{
	return ox->servers && ox->servers->shows(ox, d);
}

void servers_close(struct oxide *ox, struct doc *d)
{
	if (ox->servers)
		ox->servers->close(ox, d);
}

void servers_disk_changed(struct oxide *ox, const char *path, struct doc *d, enum file_change type)
{
	if (ox->servers)
		ox->servers->disk_changed(ox, path, d, type);
}
