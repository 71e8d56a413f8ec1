// SPDX-License-Identifier: BSD-2-Clause
// The only program of a Linux system that starts palmon.img by kexec, as LinuxBoot does
// (kexec_file_load(2)).

#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static const char arguments[] = ARGUMENTS;
	const int image = open("/palmon.img", O_RDONLY);

	if (!syscall(SYS_kexec_file_load, image, -1, sizeof arguments, arguments,
		     KEXEC_FILE_NO_INITRAMFS))
		reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("error: kexec");
	reboot(RB_AUTOBOOT);
}
